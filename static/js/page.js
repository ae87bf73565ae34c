// What every page does: open every fold before printing, and keep the focus visible after a swap.
const folds = () => document.querySelectorAll("main details:not(.copies)");

let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...folds()].filter((fold) => !fold.open);
  opened.forEach((fold) => { fold.open = true; });
});
window.addEventListener("afterprint", () => {
  opened.forEach((fold) => { fold.open = false; });
});

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
