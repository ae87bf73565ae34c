// The phone's own keypad, on touch screens only: no system keyboard opens, so nothing is covered and nothing jumps.
import { advance, paste, stops } from "./grid.js";

const SYSTEM = "system-keyboard";
const SPECIAL = {
  "": { text: "e^(", shown: "eˣ", label: "exponential" },
  infinite: { text: "−∞", shown: "−∞", label: "infinity" },
  list: { text: ", ", shown: ",", label: "comma" },
};

const prefersSystem = () => { try { return localStorage.getItem(SYSTEM) === "yes"; } catch { return false; } };

export function startKeypad(exercise) {
  const pad = exercise.querySelector("[data-keypad]");
  if (!pad || !window.matchMedia("(pointer: coarse)").matches || prefersSystem()) return;
  const said = pad.querySelector("[data-keypad-said]");
  const special = pad.querySelector("[data-key=special]");
  const next = pad.querySelector("[data-key=next]");
  const canPaste = window.isSecureContext && Boolean(navigator.clipboard?.readText);
  pad.querySelector("[data-key=paste]").hidden = !canPaste;
  exercise.querySelector("[data-insecure]").hidden = window.isSecureContext;
  let cell = null;

  const ready = () => exercise.querySelectorAll("[data-cell]").forEach((one) => { one.inputMode = "none"; });
  ready();
  document.addEventListener("htmx:afterSettle", ready);

  const tell = () => {
    if (!cell) return;
    const reading = document.getElementById(`read-${cell.name}`);
    const strong = Object.assign(document.createElement("b"), { textContent: reading?.textContent ?? "" });
    said.replaceChildren(`${cell.dataset.place} `, strong);
  };

  const open = (wanted) => {
    cell = wanted;
    const kind = SPECIAL[cell.closest("[data-keys]").dataset.keys] ?? SPECIAL[""];
    special.textContent = kind.shown;
    special.dataset.insert = kind.text;
    special.setAttribute("aria-label", special.dataset[kind.label]);
    next.textContent = stops().at(-1) === cell ? next.dataset.last : next.dataset.next;
    pad.hidden = false;
    document.body.classList.add("is-typing");
    tell();
    const strip = exercise.querySelector("[data-givens]");
    const height = getComputedStyle(strip).position === "sticky" ? strip.offsetHeight : 0;
    document.documentElement.style.setProperty("--strip", `${height}px`);
    cell.closest("[data-part]").scrollIntoView({ block: "nearest" });
    cell.scrollIntoView({ block: "nearest" });
  };
  const close = () => {
    cell = null;
    pad.hidden = true;
    document.body.classList.remove("is-typing");
  };

  let stopped = false;
  const giveUp = () => {
    const here = cell;
    exercise.querySelectorAll("[data-cell]").forEach((one) => { one.inputMode = "text"; });
    stopped = true;
    close();
    here.blur();
    here.focus();
  };

  const insert = (text) => {
    cell.setRangeText(text, cell.selectionStart, cell.selectionEnd, "end");
    cell.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const remove = () => {
    const { selectionStart: start, selectionEnd: end } = cell;
    if (start === end && start > 0) cell.setRangeText("", start - 1, end, "end");
    else cell.setRangeText("", start, end, "end");
    cell.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const acts = {
    delete: remove,
    next: () => {
      const here = cell;
      if (stops().at(-1) === here) { here.blur(); close(); }
      advance(here);
    },
    paste: async () => {
      const here = cell;
      try { await paste(here, await navigator.clipboard.readText()); } catch { /* not allowed: nothing to paste */ }
    },
    system: () => {
      try { localStorage.setItem(SYSTEM, "yes"); } catch { /* for this page only, then */ }
      giveUp();
    },
  };

  document.addEventListener("htmx:afterSettle", () => {
    if (stopped) exercise.querySelectorAll("[data-cell]").forEach((one) => { one.inputMode = "text"; });
  });
  // The field keeps the focus while keys are pressed.
  pad.addEventListener("pointerdown", (event) => event.preventDefault());
  pad.addEventListener("mousedown", (event) => event.preventDefault());
  pad.addEventListener("click", (event) => {
    const key = event.target.closest("button");
    if (!key || !cell) return;
    if (key.dataset.insert) insert(key.dataset.insert);
    else acts[key.dataset.key]?.();
  });
  exercise.addEventListener("focusin", (event) => {
    if (stopped || !event.target.matches("[data-cell]")) return;
    try { open(event.target); } catch (error) { giveUp(); throw error; } // never neither keypad nor keyboard
  });
  exercise.addEventListener("focusout", (event) => {
    if (!pad.contains(event.relatedTarget) && !event.relatedTarget?.matches?.("[data-cell]")) close();
  });
  exercise.addEventListener("read", tell);
  exercise.addEventListener("input", tell);
}
