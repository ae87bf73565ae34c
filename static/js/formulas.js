// Two things about formulas that only measuring tells. Whether the browser draws MathML at all: where it does
// not, the stylesheet shows each formula as a line of text. And how much room it leaves beside a root.
const SPACE = { width: 23, height: 19 };

function measured(formulas, measure) {
  const probe = document.createElement("div");
  probe.setAttribute("aria-hidden", "true");
  probe.className = "visually-hidden";
  probe.innerHTML = formulas.map((inside) => `<math>${inside}</math>`).join(" ");
  document.body.append(probe);
  const boxes = [...probe.querySelectorAll("math > *")].map((element) => element.getBoundingClientRect());
  const found = measure(boxes, parseFloat(getComputedStyle(probe.firstElementChild).fontSize));
  probe.remove();
  return found;
}

function drawsMathML() {
  const space = `<mspace width="${SPACE.width}px" height="${SPACE.height}px"></mspace>`;
  return measured([space], ([box]) => (
    Math.abs(box.width - SPACE.width) < 2 && Math.abs(box.height - SPACE.height) < 2
  ));
}

function rootGap() {
  const formulas = ["<msqrt><mi>x</mi></msqrt>", "<mi>x</mi>", '<mo stretchy="false">√</mo>'];
  return measured(formulas, ([root, inside, sign], size) => (root.width - inside.width - sign.width) / size);
}

const page = document.documentElement;
if (drawsMathML()) {
  page.classList.remove("no-mathml");
  document.fonts.ready.then(() => {
    const gap = rootGap();
    page.style.setProperty("--root-gap", `${gap > 0.1 && gap < 0.6 ? gap.toFixed(3) : 0}em`);
  });
} else {
  page.classList.add("no-mathml");
}
