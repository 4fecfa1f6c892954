// Copy buttons, tooltips, keys, the theme, the event "live", and a message when the server does not answer. The
// console works without this script.
"use strict";

(() => {
  // icon returns a symbol of the sprite.
  const sprite = document.querySelector(".icon use")?.getAttribute("href").split("#")[0];
  const icon = (name) => {
    const [svg, use] = ["svg", "use"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", sprite + "#" + name);
    svg.append(use);
    return svg;
  };

  // copy copies the text of a button's source, which it selects where the browser does not allow that.
  const copy = async (button, text, source) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(source);
    }
    const label = button.getAttribute("aria-label") ?? "";
    const shown = [...button.childNodes];
    button.replaceChildren(icon("check"));
    button.setAttribute("aria-label", "Copied");
    button.classList.add("done");
    setTimeout(() => {
      button.replaceChildren(...shown);
      button.setAttribute("aria-label", label);
      button.classList.remove("done");
    }, 1500);
  };

  // copyButton returns a button that copies the text of an element.
  const copyButton = (source) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.append(icon("copy"));
    button.dataset.tip = "Copy";
    button.setAttribute("aria-label", "Copy " + source.textContent.trim().slice(0, 60));
    button.addEventListener("click", () => copy(button, source.textContent, source));
    return button;
  };

  const addCopyButtons = (root) => {
    for (const source of root.querySelectorAll("[data-copy]:not([data-copy=on])")) {
      source.dataset.copy = "on";
      if (source.tagName === "PRE") {
        const frame = source.closest(".copied") ?? document.createElement("div");
        if (!frame.isConnected) {
          frame.className = "copied";
          source.replaceWith(frame);
        }
        frame.append(source, copyButton(source));
      } else {
        source.after(copyButton(source));
      }
    }
  };

  // watch shows in an open page when its server does not answer, when it asks for another token, and when its world no longer
  // exists. Then it stops all requests of the page.
  const watch = (line) => {
    const silent = new Set();
    let gone = false;
    let loggedOut = false;
    let shown = "";
    const show = (what) => {
      if (what === shown) return;
      shown = what;
      line.replaceChildren(...(what ? [document.getElementById("line-" + what).content.cloneNode(true)] : []));
      const login = line.querySelector("a[data-back]");
      if (login) login.search = new URLSearchParams({ back: location.pathname + location.search });
    };
    const refused = () => fetch(location.href, { method: "HEAD" }).then((answer) => answer.status === 401, () => false);
    const report = async (who, answers) => {
      if (who === "stream") loggedOut = !answers && await refused();
      if (gone) return;
      if (answers) silent.delete(who); else silent.add(who);
      show(loggedOut ? "login" : silent.size ? "lost" : "");
    };
    const end = (what) => {
      gone = true;
      for (const asking of document.querySelectorAll("[hx-get]")) {
        const copy = asking.cloneNode(true);
        copy.removeAttribute("hx-get");
        asking.replaceWith(copy);
      }
      show(what);
    };
    document.body.addEventListener("htmx:afterRequest", (event) => {
      const { elt, xhr } = event.detail;
      loggedOut = xhr.status === 401;
      if (elt.matches(".instant, #live") && (xhr.status === 404 || xhr.status === 410)) end(elt.id || "gone");
      else report("poll", xhr.status !== 0 && xhr.status < 500);
    });
    return (answers) => report("stream", answers);
  };

  // listen dispatches "live" on the body when a request came in the page's world, or in any when it has none: at most twice a
  // second, so that reading takes no more than a tenth of the time of a page, and in a hidden page once it is seen. It reports whether the stream of events, which all tabs share, is open.
  const listen = (script, report) => {
    const port = window.SharedWorker ? new SharedWorker(script).port : new Worker(script);
    const { world } = document.body.dataset;
    let latest = null;
    let last = 0;
    let timer = 0;
    let lost = false;
    let pause = 500;
    let reading = 0; // requests under way, after which the next event comes
    const dispatch = () => {
      if (document.hidden || !latest || reading) return;
      last = Date.now();
      document.body.dispatchEvent(new CustomEvent("live", { detail: latest }));
      latest = null;
    };
    const announce = (detail) => {
      latest = detail;
      timer ||= setTimeout(() => { timer = 0; dispatch(); }, last + pause - Date.now());
    };
    port.onmessage = ({ data: { type, ...detail } }) => {
      if (type === "lost" || type === "back") {
        document.body.dataset.live = type;
        report(type === "back");
        if (lost && type === "back") announce({});
        lost = type === "lost";
      } else if (type === "many" || !world || world === detail.world) {
        announce(detail);
      }
    };
    const isRead = ({ detail }) => detail.requestConfig.triggeringEvent?.type === "live";
    document.body.addEventListener("htmx:beforeSend", (event) => { if (isRead(event)) reading++; });
    document.body.addEventListener("htmx:afterRequest", (event) => {
      if (!isRead(event)) return;
      reading--;
      pause = Math.min(Math.max(500, 10 * (Date.now() - last)), 5_000);
      if (latest) announce(latest);
    });
    const hello = () => port.postMessage("hello");
    hello();
    setInterval(hello, 30_000);
    addEventListener("pagehide", () => port.postMessage("bye"));
    addEventListener("pageshow", (event) => { if (event.persisted) { hello(); announce({}); } });
    document.addEventListener("visibilitychange", dispatch);
  };

  // closeMenus folds an open menu on Escape, and when a click or the focus goes elsewhere.
  const closeMenus = () => {
    const open = () => document.querySelectorAll("details.menu[open]");
    for (const leaving of ["click", "focusin"]) {
      document.addEventListener(leaving, (event) => {
        for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
      });
    }
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      for (const menu of open()) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    });
  };

  // tooltips shows the data-tip of the element under the pointer, or of the one that the keyboard has reached.
  const tooltips = () => {
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.setAttribute("role", "tooltip");
    tip.hidden = true;
    document.body.append(tip);
    const show = (event) => {
      const seen = event.target instanceof Element && (event.type !== "focusin" || event.target.matches(":focus-visible"));
      const source = seen ? event.target.closest("[data-tip]") : null;
      tip.hidden = !source;
      if (!source) return;
      tip.textContent = source.dataset.tip;
      const at = source.getBoundingClientRect();
      const own = tip.getBoundingClientRect();
      const above = at.top - own.height - 6;
      tip.style.top = (above > 4 ? above : at.bottom + 6) + "px";
      tip.style.left = Math.max(4, Math.min(at.left + (at.width - own.width) / 2, innerWidth - own.width - 4)) + "px";
    };
    for (const event of ["pointerover", "focusin"]) document.addEventListener(event, show);
    for (const event of ["focusout", "scroll", "pointerdown", "input"]) document.addEventListener(event, () => { tip.hidden = true; }, true);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  };

  // tell has screen readers read what came: the notice of a new page, and the data-said of what a search has found.
  const tell = () => {
    const said = document.getElementById("said");
    const notice = document.querySelector("main > .notice");
    if (notice) setTimeout(() => { said.textContent = notice.textContent; }, 500); // a change, once the page was announced
    document.body.addEventListener("htmx:afterSettle", ({ target }) => {
      if (target.dataset.said) said.textContent = target.dataset.said;
    });
  };

  // typing tells whether a key goes into a field.
  const typing = (target) => target.closest?.("input, textarea, select, [contenteditable=true]");

  // shortcuts focuses the field of "/", that of the whole console for Ctrl-K, and shows all keys for "?".
  const shortcuts = () => document.addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      document.querySelector(".find input[type=search]")?.select();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.composedPath()[0])) return; // also within the editor
    const field = [...document.querySelectorAll(`[data-shortcut="${CSS.escape(event.key)}"]`)].pop();
    if (field) {
      event.preventDefault();
      field.focus();
      field.select?.();
    } else if (event.key === "?") {
      document.getElementById("keys").showModal();
    }
  });

  // switchTheme changes the theme without loading the page again.
  const switchTheme = (form) => form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    fetch(form.action, { method: "POST", body, redirect: "manual", keepalive: true }); // also when the page is left at once
    const theme = body.get("theme");
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const button of document.querySelectorAll(".themes button")) button.setAttribute("aria-pressed", String(button.value === theme));
  });

  // underway shows at once that a click leads to another page or to another part of it.
  const underway = () => {
    const busy = (on) => document.documentElement.classList.toggle("busy", on);
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href]");
      if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || link.download || link.hash) return;
      busy(true);
    });
    document.addEventListener("submit", () => busy(true));
    document.body.addEventListener("htmx:afterRequest", ({ detail }) => { // not of what an open page reads by itself
      if (["click", "submit"].includes(detail.requestConfig.triggeringEvent?.type)) busy(false);
    });
    addEventListener("pageshow", () => busy(false));
    addEventListener("blur", () => busy(false)); // a download
  };

  // What is replaced in an open page keeps the folds that are open, what is ticked, the field in which somebody types, and the copy
  // buttons.
  Idiomorph.defaults.ignoreActiveValue = true;
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) => !["checked", "data-copy"].includes(name) && !(name === "open" && node.matches("details"));
  Idiomorph.defaults.callbacks.beforeNodeRemoved = (node) => !(node.matches?.(".copy") && node.previousElementSibling?.dataset.copy);
  document.addEventListener("change", ({ target }) => { // one box ticks all of its table
    if (target.dataset.all) for (const box of target.closest("table").querySelectorAll(`[name="${target.dataset.all}"]`)) box.checked = target.checked;
  });

  const prepare = (root) => {
    addCopyButtons(root);
    for (const button of root.querySelectorAll("button[data-copy-link]")) button.hidden = false;
  };
  prepare(document);
  document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));
  closeMenus();
  document.querySelectorAll("form.themes").forEach(switchTheme);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-copy-link]");
    if (button) copy(button, location.href, button);
  });
  tooltips();
  tell();
  shortcuts();
  underway();
  const line = document.getElementById("line");
  const report = line ? watch(line) : () => {};
  if (document.body.hasAttribute("data-live")) listen(new URL("live.js", document.currentScript.src), report);
})();
