// The contents follow the scroll; the furthest part that somebody stayed at is told to the server; the sign
// beside a heading copies its address.
import { tell, write } from "./copy.js";

const STAY = 3000; // ms on a part before it counts as reached
const LINE = 140; // px below the top: the heading that passed it last is the current one

export function startContents(page) {
  if (!page) return;
  const links = [...page.querySelectorAll("[data-contents] a")];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  let current = -1;
  let timer;

  const find = () => {
    const passed = headings.filter((heading) => heading && heading.getBoundingClientRect().top < LINE).length;
    const end = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
    return end && window.scrollY > 0 ? headings.length - 1 : passed - 1;
  };
  const follow = () => {
    const found = find();
    if (found === current) return;
    current = found;
    links.forEach((link, at) => {
      if (at === found) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    const list = links[found]?.closest("[data-contents]");
    if (list && list.scrollHeight > list.clientHeight) links[found].scrollIntoView({ block: "nearest" });
    clearTimeout(timer);
    timer = setTimeout(() => keep(page, headings[found]), STAY);
  };
  let waits = false;
  const later = () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; follow(); });
  };
  window.addEventListener("scroll", later, { passive: true });
  window.addEventListener("resize", later);
  follow();
  startSharing(page);
}

async function keep(page, heading) {
  const place = Number(heading?.closest("[data-part]")?.dataset.part ?? 0);
  if (place <= Number(page.dataset.place ?? 0) || document.hidden) return;
  const headers = JSON.parse(document.body.getAttribute("hx-headers") ?? "{}");
  try {
    const answer = await fetch(page.dataset.progress, { method: "POST", body: new URLSearchParams({ place }), headers });
    if (answer.ok) page.dataset.place = place;
  } catch {
    // no network: the next part that is reached says it again
  }
}

function startSharing(page) {
  page.addEventListener("click", async (event) => {
    const sign = event.target.closest("[data-anchor]");
    if (!sign || event.ctrlKey || event.metaKey || event.shiftKey) return;
    try {
      await write(sign.href);
      tell(page.dataset.copied);
    } catch {
      // the address bar holds it, for the link was followed
    }
  });
}
