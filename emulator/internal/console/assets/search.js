// The arrow keys go from one result to the next. The page works without this script.
"use strict";

document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.target.matches?.("input, textarea, select")) return;
  const hits = [...document.querySelectorAll("#results .hit")].filter((hit) => hit.checkVisibility());
  const next = hits[hits.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
