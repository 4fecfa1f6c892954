// The form that makes resources: it tells which fields are wrong, and keeps what is unfolded. It works without this script.
"use strict";

(() => {
  document.querySelector("#start-from button").hidden = true; // a choice alone starts

  const mark = () => {
    for (const error of document.querySelectorAll(".field-error")) {
      const field = document.querySelector(`[aria-describedby~="${error.id}"]`);
      if (error.textContent) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  };

  // What is unfolded stays so when a group is added or removed.
  let open = [];
  document.body.addEventListener("htmx:beforeSwap", () => { open = [...document.querySelectorAll("#make details[open]")].map((one) => one.id); });
  document.body.addEventListener("htmx:afterSettle", () => {
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    mark();
  });
})();
