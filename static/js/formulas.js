// Notices a browser that does not draw MathML; the stylesheet then shows each formula as a line of text.
const SPACE = { width: 23, height: 19 };

function drawsMathML() {
  const probe = document.createElement("div");
  probe.setAttribute("aria-hidden", "true");
  probe.className = "visually-hidden";
  probe.innerHTML = `<math><mspace width="${SPACE.width}px" height="${SPACE.height}px"></mspace></math>`;
  document.body.append(probe);
  const { width, height } = probe.querySelector("mspace").getBoundingClientRect();
  probe.remove();
  return Math.abs(width - SPACE.width) < 2 && Math.abs(height - SPACE.height) < 2;
}

document.documentElement.classList.toggle("no-mathml", !drawsMathML());
