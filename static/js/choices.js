// Choices by keyboard: a digit picks that option, Enter goes on to the next question; arrows are the browser's own.
import { handIn, setState, stops, visit } from "./grid.js";
import { isShown } from "./seen.js";

const PAUSE = 700; // within which a second digit makes a number of two, where there are more than nine options

const groups = () => [...document.querySelectorAll("#answer-form [role=radiogroup]")].filter(isShown);
const isTyping = (element) => element.matches("input:not([type=radio]), textarea, select, [contenteditable]");

// The group with the focus; with none, the first that is still open, once the form is being filled in.
function groupFor(target) {
  const inside = target.closest?.("#answer-form [role=radiogroup]");
  if (inside) return inside;
  if (document.getElementById("answer-form")?.dataset.state === "judged") return null;
  return groups().find((group) => !group.querySelector("input:checked")) ?? null;
}

function pick(group, number) {
  const option = group.querySelector(`[data-option="${number}"]`);
  if (!option) return false;
  option.checked = true;
  option.focus({ preventScroll: true });
  option.closest("label").scrollIntoView({ block: "nearest" });
  option.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}

export function startChoices(exercise) {
  let typed = "";
  let timer;
  const forget = () => { typed = ""; };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]") || !/^[0-9]$/.test(event.key)) return;
    const group = groupFor(event.target);
    if (!group) return;
    const count = group.querySelectorAll("[data-option]").length;
    typed = count > 9 ? typed + event.key : event.key;
    clearTimeout(timer);
    timer = setTimeout(forget, PAUSE);
    if (pick(group, typed) || (typed.length > 1 && pick(group, event.key))) event.preventDefault();
  });

  exercise.addEventListener("keydown", (event) => {
    const option = event.target.closest("[data-option]");
    if (!option || event.key !== "Enter") return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) { handIn(); return; }
    const group = option.closest("[role=radiogroup]");
    if (!group.querySelector("input:checked")) option.checked = true;
    const all = stops();
    const next = all[all.findIndex((stop) => group.contains(stop)) + 1];
    if (next) visit(next);
    else handIn();
  });

  // A mark belongs to what was handed in, not to what is being chosen now.
  exercise.addEventListener("input", (event) => {
    const option = event.target.closest("[data-option]");
    if (!option) return;
    setState("editing");
    option.closest("[role=radiogroup]").querySelectorAll(".is-wrong, .is-right").forEach((label) => label.classList.remove("is-wrong", "is-right"));
  });
}
