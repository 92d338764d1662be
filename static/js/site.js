// Small helps only: every page works without this file.
(() => {
  "use strict";
  // An error summary takes the focus, as on a full page load, after htmx has swapped it in.
  const focusErrors = (root) => root.querySelector?.(".errors[tabindex]")?.focus();
  document.addEventListener("htmx:afterSwap", (event) => focusErrors(event.target));
  focusErrors(document);
  // What the server refuses or breaks on is no silence: the same address, asked plainly, shows the page that says why.
  document.addEventListener("htmx:responseError", (event) => {
    const { elt, pathInfo, requestConfig } = event.detail;
    if (requestConfig.verb === "get" && elt.closest("[hx-push-url]")) location.assign(pathInfo.finalRequestPath);
  });
  // Of a chosen file only the beginning is sent: a model of 40 GB says all that is asked in its first bytes.
  document.addEventListener("change", (event) => {
    const field = event.target.closest?.("input[type=file][data-head]");
    const file = field?.files[0];
    if (!file || file.size <= Number(field.dataset.head)) return;
    const cut = new DataTransfer();
    cut.items.add(new File([file.slice(0, Number(field.dataset.head))], file.name));
    field.files = cut.files;
  });
  // The appearance form needs no button where a change can send it.
  const theme = document.querySelector('form[action$="/theme"]');
  if (theme) {
    theme.querySelector("button").hidden = true;
    theme.addEventListener("change", () => theme.requestSubmit());
  }
  // The language link follows the address; focus that went with its element goes to the heading of what was swapped.
  const follow = () => document.querySelectorAll("header a[hreflang]").forEach((link) => { link.search = location.search; });
  document.addEventListener("htmx:pushedIntoHistory", follow);
  document.addEventListener("htmx:replacedInHistory", follow);
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "what-if" && document.activeElement === document.body) document.getElementById("h-if").focus({ preventScroll: true });
  });
  // What was typed last is in the address, too, when the form goes on: Back finds it there.
  document.addEventListener("submit", ({ target }) => {
    if (target.matches('form[hx-target="#live"]')) history.replaceState(history.state, "", `?${new URLSearchParams([...new FormData(target)].filter(([, value]) => value))}`);
  });
  // Figures that could not be asked anew stay as they are, and say so.
  const away = document.getElementById("away");
  document.addEventListener("htmx:sendError", () => { away.hidden = false; });
  document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) away.hidden = true; });
  // Pages read before open without a connection.
  addEventListener("load", () => navigator.serviceWorker?.register("/worker.js").catch(() => {}));
})();
