// A form of a resource's page leaves the page where it was, unless it says what did not work.
"use strict";

(() => {
  const key = "scrolled " + location.pathname;
  const scrolled = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (scrolled && !document.querySelector("main [role=alert]")) scrollTo(0, scrolled);
  document.querySelector("main").addEventListener("submit", (event) => {
    if (event.target.method === "post" && !event.target.hasAttribute("hx-post")) sessionStorage.setItem(key, scrollY);
  });
})();
