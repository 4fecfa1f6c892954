// What the console does beyond links and forms: copy buttons, a search that answers as one types, the journal's pause,
// and word of a server that does not answer. Everything else works without it.
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

  // searchAsTyped shows of a list what has all the words of a field.
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

  // mostRows is how many rows a journal that is left open keeps.
  const mostRows = 500;

  // follow lets the journal be paused: what comes meanwhile is held, and shown when it goes on.
  const follow = (table, pause) => {
    const body = table.querySelector("tbody");
    let held = [];
    let paused = false;
    const say = () => {
      pause.textContent = !paused ? "Pause" : held.length ? `Go on (${held.length} more)` : "Go on";
      pause.setAttribute("aria-pressed", String(paused));
    };
    const tidy = () => {
      document.getElementById("none")?.remove();
      while (body.rows.length > mostRows) body.deleteRow(-1);
    };
    pause.hidden = false;
    table.querySelector(".pushed").classList.add("now");
    pause.addEventListener("click", () => {
      paused = !paused;
      if (!paused) {
        for (const rows of held.splice(0)) body.insertAdjacentHTML("afterbegin", rows);
        tidy();
      }
      say();
    });
    table.addEventListener("htmx:sseBeforeMessage", (event) => {
      const message = event.detail;
      if (message.type === "request" && document.getElementById("entry-" + message.lastEventId)) {
        event.preventDefault(); // it is here already: the browser came back
      } else if (paused) {
        event.preventDefault();
        held = held.slice(1 - mostRows);
        held.push(message.data);
        say();
      }
    });
    table.addEventListener("htmx:sseMessage", tidy);
  };

  // watch says in a page that is open when its server does not answer, and when its world is gone: then nothing asks
  // for that any more.
  const watch = (line) => {
    const silent = new Set();
    let stream = null;
    let gone = false;
    let said = "";
    const say = (what) => {
      if (what === said) return;
      said = what;
      line.replaceChildren(...(what ? [document.getElementById("line-" + what).content.cloneNode(true)] : []));
    };
    const hear = (who, answers) => {
      if (gone) return;
      if (answers) silent.delete(who); else silent.add(who);
      say(silent.size ? "lost" : "");
    };
    const end = () => {
      gone = true;
      stream?.close();
      document.querySelector("[sse-connect]")?.removeAttribute("sse-connect");
      for (const asking of document.querySelectorAll("[hx-get]")) {
        const still = asking.cloneNode(true);
        still.removeAttribute("hx-get");
        asking.replaceWith(still);
      }
      say("gone");
    };
    document.body.addEventListener("htmx:afterRequest", (event) => {
      const { elt, xhr } = event.detail;
      if (elt.matches(".instant") && (xhr.status === 404 || xhr.status === 410)) end();
      else hear("poll", xhr.status !== 0 && xhr.status < 500);
    });
    document.body.addEventListener("htmx:sseOpen", (event) => {
      stream = event.detail.source;
      hear("stream", true);
    });
    document.body.addEventListener("htmx:sseError", () => hear("stream", false));
  };

  // closeOutside has a list that is unfolded fold again on Escape and on a click elsewhere.
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
