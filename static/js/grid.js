// Moving between cells, spreading a pasted matrix, and the way from a verdict back to the cells.
import { send } from "./reading.js";
import { isShown } from "./seen.js";

export const form = () => document.getElementById("answer-form");
// Where one stops while answering, in reading order: every cell, and of each choice what is chosen or its first option.
export const stops = () => [...document.querySelectorAll("#answer-form [data-part]")]
  .filter(isShown)
  .flatMap((part) => {
    const options = [...part.querySelectorAll("[data-option]")];
    return options.length ? [options.find((option) => option.checked) ?? options[0]] : [...part.querySelectorAll("[data-cell]")];
  });
export const setState = (state) => { if (form()) form().dataset.state = state; };

export function focusCell(cell) {
  cell.focus({ preventScroll: true });
  cell.select();
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

export function visit(stop) {
  if (stop.matches("[data-cell]")) { focusCell(stop); return; }
  stop.focus({ preventScroll: true });
  stop.closest("[data-part]").scrollIntoView({ block: "nearest" });
}

export function handIn() {
  form().querySelector("[data-submit]").click();
}

// The next cell or choice in reading order; in the last one, hand in.
export function advance(cell) {
  const all = stops();
  const next = all[all.indexOf(cell) + 1];
  if (next) visit(next);
  else handIn();
}

const place = (cell) => {
  const parts = cell.name.split(".");
  return parts.length < 3 ? null : { part: parts.slice(0, -2).join("."), row: +parts.at(-2), column: +parts.at(-1) };
};
const at = (part, row, column) => form().elements.namedItem(`${part}.${row}.${column}`);

function neighbour(cell, key) {
  const here = place(cell);
  if (!here) return null;
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  return at(here.part, here.row + down, here.column + right);
}

// Left and right move only from the end of the text, so that the caret can still walk through it.
function atEdge(cell, key) {
  const { selectionStart: start, selectionEnd: end, value } = cell;
  if (key === "ArrowLeft") return start === 0 && (end === 0 || end === value.length);
  if (key === "ArrowRight") return end === value.length && (start === end || start === 0);
  return true;
}

function onKey(event) {
  const cell = event.target.closest("[data-cell]");
  if (!cell || event.isComposing || event.keyCode === 229) return;
  if (event.key === "Enter") {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) handIn();
    else advance(cell);
    return;
  }
  if (!event.key.startsWith("Arrow") || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const next = neighbour(cell, event.key);
  if (next && atEdge(cell, event.key)) {
    event.preventDefault();
    focusCell(next);
  }
}

const looksLikeSeveral = (text) => /[\n\t;[\],，；]|\S\s+\S/.test(text.trim());

function insert(cell, text) {
  cell.setRangeText(text, cell.selectionStart, cell.selectionEnd, "end");
  cell.dispatchEvent(new Event("input", { bubbles: true }));
}

export async function paste(cell, text) {
  const here = place(cell);
  if (!here || !looksLikeSeveral(text)) return insert(cell, text.trim());
  const found = await send(cell, { part: here.part, paste: text });
  if (!found?.cells) return insert(cell, text.trim());
  found.cells.forEach((row, i) => row.forEach((value, j) => {
    const target = at(here.part, here.row + i, here.column + j);
    if (target) target.value = value;
  }));
  cell.dispatchEvent(new CustomEvent("spread", { bubbles: true }));
  return undefined;
}

// After an answer both what was written and the verdict are in sight, where both fit.
function showBoth() {
  const [from, to] = [form().getBoundingClientRect(), document.getElementById("verdict").getBoundingClientRect()];
  if (to.top + 160 < window.innerHeight && to.bottom < window.innerHeight) return;
  const fits = to.top - from.top < window.innerHeight / 2;
  (fits ? form() : document.getElementById("verdict")).scrollIntoView({ block: "start" });
}

export function startGrid(exercise) {
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "verdict") requestAnimationFrame(showBoth);
  });
  exercise.addEventListener("keydown", onKey);
  exercise.addEventListener("paste", (event) => {
    const cell = event.target.closest("[data-cell]");
    const text = event.clipboardData?.getData("text/plain");
    if (!cell || !text || !looksLikeSeveral(text)) return;
    event.preventDefault();
    paste(cell, text);
  });
  exercise.addEventListener("input", (event) => {
    if (form().contains(event.target) && form().dataset.state === "judged") setState("editing");
  });
  exercise.addEventListener("click", (event) => {
    const link = event.target.closest("[data-edit]");
    if (!link) return;
    event.preventDefault();
    setState("editing");
    const wanted = document.getElementById(link.hash.slice(1));
    const isWrong = (stop) => stop.matches(".is-wrong") || stop.closest(".options")?.querySelector(".option.is-wrong");
    const stop = wanted?.matches("[data-cell], [data-option]") ? wanted : stops().find(isWrong) ?? stops()[0];
    if (stop) visit(stop);
  });
}
