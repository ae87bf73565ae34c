// What was typed survives a reload, an error and signing in.
import { keep, kept } from "./kept.js";

const fields = (form) => [...form.elements].filter((field) => field.matches("[data-cell], input[type=radio]"));

function load(key) {
  try { return JSON.parse(kept(key)) ?? {}; } catch { return {}; }
}

// The page counts as open since it was first opened in this tab, so that a reload does not make one faster.
function keepOpening(key, opened) {
  const since = kept(key);
  if (since && +since < +opened.value) opened.value = since;
  else keep(key, opened.value);
}

export function startDrafts(exercise) {
  const key = `draft:${exercise.dataset.draft}`;
  const form = () => document.getElementById("answer-form");
  keepOpening(`opened:${exercise.dataset.draft}`, form().elements.opened);
  const save = () => {
    const draft = {};
    fields(form()).forEach((field) => {
      if (field.type === "radio") { if (field.checked) draft[field.name] = field.value; } else draft[field.name] = field.value;
    });
    keep(key, JSON.stringify(draft));
  };
  const draft = load(key);
  const changed = fields(form()).filter((field) => {
    if (!(field.name in draft)) return false;
    if (field.type === "radio") {
      const differs = field.checked !== (field.value === draft[field.name]);
      field.checked = field.value === draft[field.name];
      return differs;
    }
    const differs = field.value !== draft[field.name];
    field.value = draft[field.name];
    if (differs && field.value) field.closest("details")?.setAttribute("open", "");
    return differs;
  });
  if (changed.length) {
    setTimeout(() => changed[0].dispatchEvent(new CustomEvent("restored", { bubbles: true })));
    if (form().dataset.state === "judged") form().dataset.state = "editing";
  }
  exercise.addEventListener("input", save);
  exercise.addEventListener("spread", save);
  document.addEventListener("htmx:afterSettle", () => { if (form()) save(); });
}
