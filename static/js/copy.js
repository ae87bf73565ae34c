// Copying matrices as code and the link of a variant; on an insecure address by the older way.
export async function write(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before?.focus({ preventScroll: true });
  if (!done) throw new Error("not copied");
  return undefined;
}

export function tell(text) {
  const note = Object.assign(document.createElement("p"), { className: "is-copied", textContent: text });
  note.setAttribute("role", "status");
  document.body.append(note);
  setTimeout(() => note.remove(), 1500);
}

const show = (root) => root.querySelectorAll?.(".copies[hidden]").forEach((one) => { one.hidden = false; });

// What folds around the focus hands it to its summary.
function close(except) {
  document.querySelectorAll(".copies[open]").forEach((copies) => {
    if (copies === except) return;
    if (copies.contains(document.activeElement)) copies.querySelector("summary").focus({ preventScroll: true });
    copies.open = false;
  });
}

export function startCopying() {
  document.addEventListener("click", (event) => close(event.target.closest(".copies")));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  show(document);
  document.addEventListener("htmx:afterSettle", (event) => show(event.target));
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-from]");
    const link = event.target.closest("[data-copy-link]");
    if (!button && !link) return;
    if (link && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
    event.preventDefault();
    const exercise = document.querySelector("[data-copied]");
    try {
      await write(button ? button.dataset.copy ?? document.getElementById(button.dataset.copyFrom).textContent : link.href);
      if (button) {
        tell(`${button.textContent} ✓`);
        close();
      } else tell(exercise.dataset.copied);
    } catch {
      if (link) window.location.assign(link.href);
    }
  });
}
