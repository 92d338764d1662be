// Small helps only: every page works without this file.
(() => {
  "use strict";
  // An error summary takes the focus, as on a full page load, after htmx has swapped it in.
  const focusErrors = (root) => root.querySelector?.(".errors[tabindex]")?.focus();
  document.addEventListener("htmx:afterSwap", (event) => focusErrors(event.target));
  focusErrors(document);
  // The appearance form needs no button where a change can send it.
  const theme = document.querySelector('form[action$="/theme"]');
  if (theme) {
    theme.querySelector("button").hidden = true;
    theme.addEventListener("change", () => theme.requestSubmit());
  }
})();
