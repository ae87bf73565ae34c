// Says that a request of the page did not get through: an exercise has a place for it, any other page the foot of the
// window. The next one that gets through takes it away.
export const REFUSED = 403; // the page's token is no longer the right one: only a reload helps

const notice = () => document.querySelector("[data-exercise] [data-failure]") ?? document.querySelector("[data-failure]");
const hush = () => { notice().hidden = true; };

export function fail(status) {
  const shown = notice();
  shown.querySelector("[data-lost]").hidden = status === REFUSED;
  shown.querySelector("[data-refused]").hidden = status !== REFUSED;
  if (!shown.hidden) return;
  shown.hidden = false;
  shown.scrollIntoView({ block: "nearest" });
}

export function startFailing() {
  for (const name of ["htmx:sendError", "htmx:responseError"]) {
    document.addEventListener(name, (event) => fail(event.detail.xhr?.status));
  }
  document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) hush(); });
  // A person's next try takes it away too, so that it is said again if that fails as well; polling does not.
  document.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.requestConfig?.triggeringEvent) hush(); });
  document.addEventListener("click", (event) => { if (event.target.closest("[data-reload]")) window.location.reload(); });
}
