// In a case the keys 1 to 9 choose what to look at next.
export function startChoosing(choices) {
  if (!choices) return;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const link = choices.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (link) link.click();
  });
}
