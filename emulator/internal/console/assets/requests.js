// The keys of the requests' page, the pause of its list, and the mark of the chosen request. The page works without this script.
"use strict";

(() => {
  const page = document.querySelector(".requests");
  if (!page) return;
  const find = (selector) => document.querySelector(selector);
  const links = () => [...document.querySelectorAll("#rows a:not([rel])")];

  // mark marks the row of the request that the address names.
  const mark = () => {
    for (const link of links()) {
      if (link.pathname === location.pathname) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
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
    fresh.textContent = rows < 50 ? `${rows} new` : "50 or more new";
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
  document.body.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    if (target.id === "rows") count(holds() ? fragment.querySelectorAll("li[id^=entry-]").length : 0);
    if ((target.id === "rows" || target.id === "since") && holds()) event.detail.shouldSwap = false;
  });
  document.body.addEventListener("htmx:afterRequest", (event) => { if (event.target.id === "newer") wanted = false; });

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
