// Copy buttons, search while typing, the pause of the journal, and a message when the server does not answer. The console works
// without this script.
"use strict";

(() => {
  // copyButton returns a button that copies the text of an element.
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
      button.classList.add("done");
      setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1500);
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

  // searchAsTyped shows the items of a list that have all words of a field.
  const searchAsTyped = (field) => {
    const list = document.getElementById(field.dataset.filter);
    const count = document.querySelector(`[data-filter-count="${field.dataset.filter}"]`);
    const items = [...list.querySelectorAll("[data-search]")];
    const groups = [...list.querySelectorAll("[data-filter-group]")];
    const search = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      for (const item of items) {
        item.hidden = !words.every((word) => item.dataset.search.includes(word));
        found += item.hidden ? 0 : 1;
      }
      for (const group of groups) {
        group.hidden = !group.querySelector("[data-search]:not([hidden])");
      }
      count.textContent = found === items.length ? `${found} scenarios.` : `${found} of ${items.length} scenarios.`;
    };
    field.addEventListener("input", search);
  };

  // maxRows bounds the rows of an open journal.
  const maxRows = 500;

  // follow adds the pause of the journal: rows that come during a pause are held, and shown afterwards.
  const follow = (table, pause) => {
    const body = table.querySelector("tbody");
    let held = [];
    let paused = false;
    const label = () => {
      pause.textContent = !paused ? "Pause" : held.length ? `Go on (${held.length} more)` : "Go on";
      pause.setAttribute("aria-pressed", String(paused));
    };
    const tidy = () => {
      document.getElementById("none")?.remove();
      while (body.rows.length > maxRows) body.deleteRow(-1);
    };
    pause.hidden = false;
    table.querySelector(".pushed").classList.add("now");
    pause.addEventListener("click", () => {
      paused = !paused;
      if (!paused) {
        for (const rows of held.splice(0)) body.insertAdjacentHTML("afterbegin", rows);
        tidy();
      }
      label();
    });
    table.addEventListener("htmx:sseBeforeMessage", (event) => {
      const message = event.detail;
      if (message.type === "request" && document.getElementById("entry-" + message.lastEventId)) {
        event.preventDefault(); // the row exists: the browser reconnected
      } else if (paused) {
        event.preventDefault();
        held = held.slice(1 - maxRows);
        held.push(message.data);
        label();
      }
    });
    table.addEventListener("htmx:sseMessage", tidy);
  };

  // watch shows in an open page when its server does not answer, and when its world no longer exists. Then it stops all
  // requests of the page.
  const watch = (line) => {
    const silent = new Set();
    let stream = null;
    let gone = false;
    let shown = "";
    const show = (what) => {
      if (what === shown) return;
      shown = what;
      line.replaceChildren(...(what ? [document.getElementById("line-" + what).content.cloneNode(true)] : []));
    };
    const report = (who, answers) => {
      if (gone) return;
      if (answers) silent.delete(who); else silent.add(who);
      show(silent.size ? "lost" : "");
    };
    const end = () => {
      gone = true;
      stream?.close();
      document.querySelector("[sse-connect]")?.removeAttribute("sse-connect");
      for (const asking of document.querySelectorAll("[hx-get]")) {
        const copy = asking.cloneNode(true);
        copy.removeAttribute("hx-get");
        asking.replaceWith(copy);
      }
      show("gone");
    };
    document.body.addEventListener("htmx:afterRequest", (event) => {
      const { elt, xhr } = event.detail;
      if (elt.matches(".instant") && (xhr.status === 404 || xhr.status === 410)) end();
      else report("poll", xhr.status !== 0 && xhr.status < 500);
    });
    document.body.addEventListener("htmx:sseOpen", (event) => {
      stream = event.detail.source;
      report("stream", true);
    });
    document.body.addEventListener("htmx:sseError", () => report("stream", false));
  };

  // closeOutside folds an open list on Escape and on a click elsewhere.
  const closeOutside = (list) => {
    document.addEventListener("click", (event) => { if (!list.contains(event.target)) list.open = false; });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !list.open) return;
      list.open = false;
      list.querySelector("summary").focus();
    });
  };

  addCopyButtons(document);
  document.querySelectorAll("[data-filter]").forEach(searchAsTyped);
  document.querySelectorAll("details.chooser").forEach(closeOutside);
  const line = document.getElementById("line");
  if (line) watch(line);
  const table = document.querySelector("table[sse-connect]");
  const pause = document.getElementById("pause");
  if (table && pause) follow(table, pause);
})();
