// What every page does: open every fold before printing, show what needs a script, keep the focus visible.
import { startFailing } from "./failing.js";
import "./kept.js";
import { startSigningIn } from "./signing_in.js";

const folds = () => document.querySelectorAll("main details:not(.copies)");

let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...folds()].filter((fold) => !fold.open);
  opened.forEach((fold) => { fold.open = true; });
});
window.addEventListener("afterprint", () => {
  opened.forEach((fold) => { fold.open = false; });
});

// Buttons that do nothing without a script are shown by it.
const showButtons = () => {
  document.querySelectorAll("[data-needs-script][hidden]").forEach((button) => { button.hidden = false; });
};
showButtons();
document.addEventListener("htmx:afterSettle", showButtons);

// Switching the language or the theme leads back to here, as the address is now: htmx may have changed it.
document.addEventListener("submit", (event) => {
  const here = event.target.querySelector("[data-here]");
  if (here) here.value = location.pathname + location.search + location.hash;
});

startFailing();
startSigningIn();

// A part that was swapped in may name the element that should have the focus.
document.addEventListener("htmx:afterSettle", (event) => {
  const wanted = event.target.querySelector?.("[data-focus]");
  wanted?.focus({ preventScroll: true });
  wanted?.scrollIntoView({ block: "nearest" });
});

// "/" goes to the search from anywhere but a field.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const field = document.getElementById("q");
  const link = document.querySelector("[data-search]");
  if (!field && !link) return;
  event.preventDefault();
  if (field) field.focus();
  else link.click();
});

// "Unfold all" works on the folds of the list it names.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-unfold]");
  if (!button) return;
  const list = [...document.querySelectorAll(`${button.dataset.unfold} details:not(.copies)`)];
  const open = list.some((fold) => !fold.open);
  list.forEach((fold) => { fold.open = open; });
  button.setAttribute("aria-pressed", String(open));
  button.textContent = open ? button.dataset.fold : button.dataset.label;
});
