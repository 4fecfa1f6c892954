// The keys of the requests' page, the pause of its list, and the mark of the chosen request. The page works without this script.
"use strict";

(() => {
  const page = document.querySelector(".requests");
  if (!page) return;
  const find = (selector) => document.querySelector(selector);
  const links = () => [...document.querySelectorAll("#rows a:not([rel], .times)")];

  // mark marks the row of the chosen request.
  const mark = () => {
    const { value } = find("#chosen") ?? {};
    const chosen = links().find((link) => link.pathname.endsWith("/" + value));
    if (!chosen) return; // it is in a folded row
    for (const link of links()) link.removeAttribute("aria-current");
    chosen.setAttribute("aria-current", "true");
  };

  // move goes to a row near the chosen one, and opens it when no other key follows at once.
  let opening = 0;
  const move = (step) => {
    const all = links();
    const from = all.findIndex((link) => link === document.activeElement || link.hasAttribute("aria-current"));
    const at = document.activeElement.matches("#rows a") ? all.indexOf(document.activeElement) : from;
    const to = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
    if (!to) return;
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
    clearTimeout(opening);
    opening = setTimeout(() => to.click(), 80);
  };

  const edit = () => {
    const form = find("#edit");
    if (!form) return;
    form.open = true;
    form.scrollIntoView({ block: "nearest" });
    form.querySelector("textarea, input:not([type=hidden])").focus();
  };

  const keys = {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    r: () => find("#detail button[value=resend]")?.click(),
    e: edit,
    c: () => find("#to-compare")?.click(),
    p: () => find("#pause").click(),
  };
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (target.closest("input, textarea, select, [contenteditable=true]")) return;
    if (key === "Enter" && target.matches("#rows a[aria-current]")) {
      event.preventDefault();
      find("#detail").focus();
    } else if (Object.hasOwn(keys, key) && !(key.startsWith("Arrow") && target.closest("#detail, nav, details[open]"))) {
      event.preventDefault();
      keys[key]();
    }
  });

  // The list holds still while it is paused, scrolled, under the pointer, or beside a chosen request: new requests are counted, and
  // their number is a button that shows them.
  const pause = find("#pause");
  let paused = false;
  let under = false;
  let wanted = false; // by the button
  const holds = () => !wanted && (paused || under || page.classList.contains("chosen") || find("#rows")?.scrollTop > 0 || scrollY > 0);
  const count = (rows) => {
    const fresh = find("#fresh");
    fresh.hidden = rows === 0;
    fresh.textContent = `${rows} new`;
  };
  const resume = () => htmx.trigger("#newer", "resume");
  const release = () => { if (find("#fresh")?.hidden === false && !holds()) resume(); };
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.lastElementChild.textContent = paused ? "Go on" : "Pause";
    pause.setAttribute("aria-pressed", String(paused));
    release();
  });
  document.addEventListener("pointerover", (event) => { under = event.target.closest("#rows") !== null; release(); });
  document.addEventListener("pointerleave", () => { under = false; release(); });
  document.addEventListener("scroll", release, true);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#fresh")) return;
    find("#rows").scrollTop = 0;
    scrollTo(0, 0);
    wanted = true;
    resume();
  });
  new MutationObserver(() => { // requests may have come before the page could hear of them
    if (document.body.dataset.live === "back") resume();
  }).observe(document.body, { attributeFilter: ["data-live"] });
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig, serverResponse } = event.detail;
    if (target.id !== "found" || requestConfig.elt.id !== "newer") return;
    const next = new DOMParser().parseFromString(serverResponse, "text/html").querySelector("#found");
    count(holds() ? Number(next.dataset.fresh) : 0);
    page.classList.add("followed");
    if (!holds()) return;
    event.detail.shouldSwap = false;
    if (!find("#summary:hover")) Idiomorph.morph(find("#summary"), next.querySelector("#summary"));
  });
  document.body.addEventListener("htmx:afterRequest", (event) => { if (event.target.id === "newer") wanted = false; });

  // A part of the spark line is chosen by a click on a bar, which is a link, or by drawing over several.
  let first = null;
  const bar = (event) => event.target.closest?.(".spark a");
  page.addEventListener("pointerdown", (event) => { first = bar(event); });
  page.addEventListener("dragstart", (event) => { if (bar(event)) event.preventDefault(); });
  page.addEventListener("pointerup", (event) => {
    const last = bar(event);
    if (!first || !last || first === last) return;
    const [from, to] = [first, last].map((link) => new URL(link.href.baseVal, location.href)).sort((a, b) => (a.search < b.search ? -1 : 1));
    from.searchParams.set("to", to.searchParams.get("to"));
    location.href = from;
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("#to-edit")) {
      event.preventDefault();
      edit();
    }
  });
  document.body.addEventListener("htmx:afterSettle", (event) => {
    mark();
    if (event.target.id !== "detail") return;
    page.classList.add("chosen");
    event.target.scrollTop = 0;
    if (!document.querySelector("#rows").checkVisibility()) event.target.focus({ preventScroll: true }); // there is room for one of them
    if (event.target.getBoundingClientRect().top < 0) scrollTo(0, 0);
  });
  find("#rows a[aria-current]")?.scrollIntoView({ block: "nearest" });
})();
