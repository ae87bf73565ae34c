// The words of a report survive a reload, an error and a switch of language: kept in this tab until they are sent.
const key = (report) => `report:${report.dataset.report}`;
const kept = (root) => [...(root.querySelectorAll?.("[data-report]") ?? [])];

function restore(report) {
  const words = report.querySelector("[data-keep]");
  try {
    const text = sessionStorage.getItem(key(report));
    if (!text || words.value) return;
    words.value = text;
    report.open = true;
  } catch { /* storage forbidden: nothing is kept */ }
}

export function startReports() {
  kept(document).forEach(restore);
  document.addEventListener("htmx:afterSettle", (event) => kept(event.target).forEach(restore));
  document.addEventListener("input", (event) => {
    const report = event.target.matches("[data-keep]") && event.target.closest("[data-report]");
    if (!report) return;
    try { sessionStorage.setItem(key(report), event.target.value); } catch { /* full or forbidden */ }
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const report = event.detail.elt.closest?.("[data-report]");
    if (report && event.detail.xhr.responseText.includes("data-reported")) {
      try { sessionStorage.removeItem(key(report)); } catch { /* forbidden */ }
    }
  });
}
