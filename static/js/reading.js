// The line under each cell: how the text was read, asked of the server while one types. Nothing is marked.
import { fail, REFUSED } from "./failing.js";

const PAUSE = 250;

export async function send(cell, fields) {
  const exercise = cell.closest("[data-exercise]");
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) [value].flat().forEach((one) => body.append(name, one));
  body.append("csrfmiddlewaretoken", document.querySelector("#answer-form [name=csrfmiddlewaretoken]").value);
  try {
    const answer = await fetch(exercise.dataset.reading, { method: "POST", body, headers: { Accept: "application/json" } });
    if (answer.status === REFUSED) fail(REFUSED);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // no network: the text stays as it is and is read when it is handed in
  }
}

const UNREAD = { text: "", state: "" }; // what stood there was said of an older text
const line = (cell) => document.getElementById(`read-${cell.name}`);

function say(cell, { text, state }) {
  const shown = line(cell);
  if (!shown) return;
  shown.textContent = text;
  shown.dataset.state = state;
  if (state === "refuse") cell.setAttribute("aria-invalid", "true");
  else cell.removeAttribute("aria-invalid");
  cell.dispatchEvent(new CustomEvent("read", { bubbles: true }));
}

async function read(part, group) {
  const texts = group.map((cell) => cell.value);
  const found = await send(group[0], { part, text: texts });
  group.forEach((cell, i) => {
    if (cell.isConnected && cell.value === texts[i]) say(cell, found?.readings[i] ?? UNREAD);
  });
}

export function startReading(exercise) {
  const waiting = new Set();
  let timer;
  const flush = () => {
    const groups = Map.groupBy
      ? Map.groupBy(waiting, (cell) => cell.closest("[data-part]").dataset.part)
      : [...waiting].reduce((map, cell) => {
        const part = cell.closest("[data-part]").dataset.part;
        return map.set(part, [...(map.get(part) ?? []), cell]);
      }, new Map());
    waiting.clear();
    groups.forEach((group, part) => read(part, group));
  };
  const wait = (changed) => {
    changed.forEach((cell) => { waiting.add(cell); cell.classList.remove("is-wrong"); });
    clearTimeout(timer);
    timer = setTimeout(flush, PAUSE);
  };
  exercise.addEventListener("input", (event) => {
    if (event.target.matches("[data-cell]") && !event.isComposing) wait([event.target]);
  });
  exercise.addEventListener("compositionend", (event) => {
    if (event.target.matches("[data-cell]")) wait([event.target]);
  });
  // What is handed in comes back with its readings: nothing is left to ask.
  document.addEventListener("htmx:beforeRequest", () => {
    clearTimeout(timer);
    waiting.clear();
  });
  for (const name of ["spread", "restored"]) {
    exercise.addEventListener(name, (event) => {
      wait([...event.target.closest("form").querySelectorAll("[data-cell]")]);
    });
  }
}
