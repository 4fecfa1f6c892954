// The playground: its editor in place of the text field, problems marked in it, and unsaved texts.
"use strict";

(() => {
  const form = document.getElementById("playground");
  const field = document.getElementById("text");
  const problems = document.getElementById("problems");
  const drafts = document.getElementById("drafts");

  // The texts that were not saved, the latest first: each page has one of its own, so that none overwrites another.
  const store = "understudy-drafts";
  const page = crypto.randomUUID?.() ?? String(Math.random());
  const stored = () => {
    try { return JSON.parse(localStorage.getItem(store)) ?? []; } catch { return []; }
  };
  const put = (all) => {
    try { localStorage.setItem(store, JSON.stringify(all.slice(0, 5))); } catch { /* without storage nothing is kept */ }
  };
  const forget = (id) => put(stored().filter((draft) => draft.id !== id));
  const keep = () => put([{ id: page, at: Date.now(), text: field.value }, ...stored().filter((draft) => draft.id !== page)]);

  const tell = (event) => field.dispatchEvent(new Event(event));
  const editor = scenarioEditor.create({
    parent: document.getElementById("editor"),
    text: field.value,
    schema: fetch(form.dataset.schema).then((answer) => answer.json()).catch(() => ({})),
    label: field.getAttribute("aria-label"),
    changed: () => { field.value = editor.text(); keep(); tell("edited"); },
    run: () => tell("run"),
  });
  field.hidden = true;

  const mark = () => editor.mark([...problems.querySelectorAll("li")].map((item) => ({
    line: Number(item.querySelector("a").dataset.line), column: Number(item.querySelector("a").dataset.column),
    message: item.querySelector("span").textContent, warning: item.className === "warning",
  })));
  mark();
  problems.addEventListener("htmx:afterSwap", mark);

  form.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    editor.show(Number(link.dataset.line), Number(link.dataset.column));
  });
  // A step or a choice is a named button, and shown without a new page. The others save the text.
  form.addEventListener("submit", (event) => {
    const { name, value } = event.submitter ?? {};
    if (!name) return forget(page);
    event.preventDefault();
    htmx.ajax("POST", problems.getAttribute("hx-post"), { source: form, target: problems, values: { [name]: value } });
  });
  if ("posted" in form.dataset) keep(); // it was not saved

  const button = (label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "quiet";
    made.textContent = label;
    made.addEventListener("click", act);
    return made;
  };
  for (const draft of stored().filter((other) => other.id !== page && other.text !== field.value)) {
    const item = document.createElement("li");
    const name = /^name:\s*(\S+)/m.exec(draft.text)?.[1] ?? "a text";
    item.append(`Unsaved: ${name}, ${new Date(draft.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })} `,
      button("Restore", () => { editor.replace(draft.text); editor.focus(); forget(draft.id); item.remove(); }),
      button("Discard", () => { forget(draft.id); item.remove(); }));
    drafts.append(item);
  }
})();
