// Signing in leads back to where one is, also where the address has changed since the page was loaded.
export function startSigningIn() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-sign-in]");
    const { pathname, search, hash } = window.location;
    if (!link || link.pathname === pathname) return;
    const to = new URL(link.href);
    to.searchParams.set("next", pathname + search + hash);
    link.href = to.href;
  });
}
