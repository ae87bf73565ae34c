// N repeats the dark button; "?" shows the list of keys. Neither acts while one types.
import { isShown } from "./seen.js";

const typing = (element) => element.matches("input:not([type=radio]), textarea, select, [contenteditable]");

export function startShortcuts() {
  const sheet = document.querySelector("[data-shortcuts]");
  const hint = document.querySelector("[data-shortcuts-hint]");
  if (hint) hint.hidden = false;
  document.querySelector("[data-shortcuts-open]")?.addEventListener("click", () => sheet.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.key === "?" && sheet && !sheet.open) {
      event.preventDefault();
      sheet.showModal();
    } else if (event.key.toLowerCase() === "n" && !sheet?.open) {
      const primary = [...document.querySelectorAll("[data-primary]")].find(isShown);
      if (!primary) return;
      event.preventDefault();
      primary.click();
    }
  });
}
