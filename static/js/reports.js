// The words of a report survive a reload, an error and a switch of language: kept until they are sent.
import { forget, keep, kept } from "./kept.js";

const key = (name) => `report:${name}`;
const within = (root, selector) => [...(root.querySelectorAll?.(selector) ?? [])];

function restore(report) {
  const words = report.querySelector("[data-keep]");
  const text = kept(key(report.dataset.report));
  if (!text || words.value) return;
  words.value = text;
  report.open = true;
}

export function startReports() {
  within(document, "[data-report]").forEach(restore);
  document.addEventListener("htmx:afterSettle", () => {
    within(document, "[data-reported]").forEach((sent) => forget(key(sent.dataset.reported)));
    within(document, "[data-report]").forEach(restore);
  });
  document.addEventListener("input", (event) => {
    const report = event.target.matches("[data-keep]") && event.target.closest("[data-report]");
    if (report) keep(key(report.dataset.report), event.target.value);
  });
}
