// What the console does beyond links and forms: copy buttons. Everything else works without it.
"use strict";

(() => {
  // copyButton returns a button that copies what an element says.
  const copyButton = (source) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy " + source.textContent.trim().slice(0, 60));
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        button.textContent = "Selected";
      }
      button.classList.add("said");
      setTimeout(() => { button.textContent = "Copy"; button.classList.remove("said"); }, 1500);
    });
    return button;
  };

  const addCopyButtons = (root) => {
    for (const source of root.querySelectorAll("[data-copy]:not([data-copy=on])")) {
      source.dataset.copy = "on";
      if (source.tagName === "PRE") {
        const frame = document.createElement("div");
        frame.className = "copied";
        source.replaceWith(frame);
        frame.append(source, copyButton(source));
      } else {
        source.after(copyButton(source));
      }
    }
  };

  addCopyButtons(document);
  document.addEventListener("htmx:load", (event) => addCopyButtons(event.detail.elt));
})();
