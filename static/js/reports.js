// The words of a report survive a reload, an error and a switch of language: kept in this tab until they are sent.
const key = (name) => `report:${name}`;
const within = (root, selector) => [...(root.querySelectorAll?.(selector) ?? [])];

function restore(report) {
  const words = report.querySelector("[data-keep]");
  try {
    const text = sessionStorage.getItem(key(report.dataset.report));
    if (!text || words.value) return;
    words.value = text;
    report.open = true;
  } catch { /* storage forbidden: nothing is kept */ }
}

function forget(sent) {
  try { sessionStorage.removeItem(key(sent.dataset.reported)); } catch { /* storage forbidden */ }
}

export function startReports() {
  within(document, "[data-report]").forEach(restore);
  document.addEventListener("htmx:afterSettle", () => {
    within(document, "[data-reported]").forEach(forget);
    within(document, "[data-report]").forEach(restore);
  });
  document.addEventListener("input", (event) => {
    const report = event.target.matches("[data-keep]") && event.target.closest("[data-report]");
    if (!report) return;
    try { sessionStorage.setItem(key(report.dataset.report), event.target.value); } catch { /* full or forbidden */ }
  });
}
