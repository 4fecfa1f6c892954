// The theme that was chosen, before the page is drawn; then its buttons and the search.
(() => {
  const root = document.documentElement;
  const stored = (value) => { // a browser may refuse to store
    try {
      if (value !== undefined) localStorage.setItem("theme", value);
      return localStorage.getItem("theme") || "";
    } catch {
      return value || "";
    }
  };
  const show = (theme) => {
    root.toggleAttribute("data-theme", theme !== "");
    if (theme) root.dataset.theme = theme;
    for (const button of document.querySelectorAll(".themes button")) button.setAttribute("aria-pressed", String(button.value === theme));
  };
  show(stored());

  // score says how well a section fits words: each word must be in it, and counts more in a title.
  const score = (section, words) => {
    let sum = 0;
    for (const word of words) {
      const worth = [[section.title, 8], [section.page, 4], [section.text, 1]].filter(([text]) => text.toLowerCase().includes(word));
      if (!worth.length) return 0;
      sum += worth.reduce((all, [, weight]) => all + weight, 0);
    }
    return sum;
  };
  const around = (text, word) => {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at ? "…" : "") + text.slice(at, at + 180);
  };
  const row = (section, words) => {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
    link.href = section.link;
    link.textContent = section.title && section.title !== section.page ? `${section.page}: ${section.title}` : section.page;
    text.textContent = around(section.text, words[0]);
    link.append(text);
    item.append(link);
    return item;
  };

  document.addEventListener("DOMContentLoaded", () => {
    show(stored());
    const find = document.querySelector(".find"), input = find.querySelector("input"), found = document.getElementById("found");
    for (const part of [find, document.querySelector(".themes")]) part.hidden = false;
    for (const button of document.querySelectorAll(".themes button")) button.addEventListener("click", () => show(stored(button.value)));
    const search = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const best = words.length ? (window.sections || []).map((s) => [score(s, words), s]).filter(([n]) => n).sort((a, b) => b[0] - a[0]) : [];
      found.replaceChildren(...best.slice(0, 12).map(([, s]) => row(s, words)));
      if (words.length && window.sections && !best.length) found.textContent = "No section has these words.";
      found.hidden = !words.length;
    };
    input.addEventListener("focus", () => {
      const script = document.createElement("script");
      script.src = "search.js";
      script.addEventListener("load", search);
      document.head.append(script);
    }, { once: true });
    input.addEventListener("input", search);
    found.addEventListener("click", () => { // to another part of this page, too
      input.value = "";
      search();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.closest("input, textarea")) return;
      event.preventDefault();
      input.focus();
    });
  });
})();
