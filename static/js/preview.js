// Shows what a candidate will see beside a text area in the admin, a moment after each change.
const DELAY = 300;

// The language chosen for the text this area belongs to: areas of one text share the beginning of their names.
function languageOf(area) {
  const beside = area.form.elements[area.name.replace(/[a-z_]+$/, "language")];
  return beside ? beside.value : document.documentElement.lang;
}

function refresh(area) {
  const pair = area.closest(".preview-pair");
  const pane = pair.querySelector(".preview-pane");
  const body = new FormData();
  body.set("text", area.value);
  body.set("form", pair.dataset.previewForm);
  body.set("language", languageOf(area));
  body.set("csrfmiddlewaretoken", area.form.querySelector("[name=csrfmiddlewaretoken]").value);
  area.previewing?.abort();
  area.previewing = new AbortController();
  fetch(area.dataset.preview, { method: "POST", body, signal: area.previewing.signal })
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(answer.status))))
    .then((html) => { pane.innerHTML = html; })
    .catch((error) => { if (error.name !== "AbortError") pane.textContent = pane.dataset.failed; });
}

document.addEventListener("input", (event) => {
  const area = event.target;
  if (!area.matches?.("textarea[data-preview]")) return;
  clearTimeout(area.previewTimer);
  area.previewTimer = setTimeout(() => refresh(area), DELAY);
});

document.addEventListener("change", (event) => {
  if (!event.target.matches?.("select[name$=language]")) return;
  for (const area of event.target.form.querySelectorAll("textarea[data-preview]")) {
    if (area.name.replace(/[a-z_]+$/, "language") === event.target.name) refresh(area);
  }
});

for (const area of document.querySelectorAll("textarea[data-preview]")) {
  if (!area.name.includes("__prefix__")) refresh(area);
}
