// Compose: the editor in place of the text field once it is touched, problems marked in it, and unsaved texts.
"use strict";

(() => {
  const form = document.getElementById("compose");
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
  let told = false; // the page shows what the text does
  const changed = () => {
    keep();
    if (!told) tell("edited");
  };
  let editor;
  const mark = () => editor?.mark([...problems.querySelectorAll("li")].map((item) => ({
    line: Number(item.querySelector("a").dataset.line), column: Number(item.querySelector("a").dataset.column),
    message: item.querySelector("span").textContent, warning: item.className === "warning",
  })));

  // edit puts the editor in place of the field. It is loaded once.
  let loading;
  const edit = () => loading ??= new Promise((loaded) => {
    const script = document.createElement("script");
    script.src = form.dataset.editor;
    script.addEventListener("load", () => {
      const focused = document.activeElement === field;
      editor = scenarioEditor.create({
        parent: document.getElementById("editor"),
        text: field.value,
        schema: fetch(form.dataset.schema).then((answer) => answer.json()).catch(() => ({})),
        label: field.getAttribute("aria-label"),
        changed: () => { field.value = editor.text(); changed(); },
        run: () => tell("run"),
      });
      field.hidden = true;
      if (focused) editor.focus();
      mark();
      loaded();
    });
    document.head.append(script);
  });
  field.addEventListener("focus", edit);
  field.addEventListener("input", changed);

  const write = (text) => {
    field.value = text;
    if (editor) editor.replace(text); // which tells that it changed
    else changed();
  };
  problems.addEventListener("htmx:afterSwap", () => {
    const text = problems.querySelector("template");
    if (text) {
      const now = text.content.textContent;
      text.remove();
      told = true;
      write(now);
      told = false;
    }
    mark();
  });
  document.body.addEventListener("htmx:oobBeforeSwap", (event) => { // somebody is typing there
    const typing = document.activeElement;
    if (event.detail.target.id === "sentences" && event.detail.target.contains(typing) && typing.value !== typing.defaultValue && "defaultValue" in typing) {
      event.detail.shouldSwap = false;
    }
  });

  form.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    await edit();
    editor.show(Number(link.dataset.line), Number(link.dataset.column));
  });
  // A step, a choice or a part of a sentence is a named button, and shown without a new page. The others save the text.
  form.addEventListener("submit", (event) => {
    const { name, value } = event.submitter ?? {};
    if (!name || name === "do") return forget(page);
    event.preventDefault();
    htmx.ajax("POST", problems.getAttribute("hx-post"), { source: form, target: problems, values: { [name]: value } });
  });
  if ("posted" in form.dataset) keep(); // it was not saved

  const start = document.querySelector("form.start");
  start.querySelector("button").hidden = true; // a choice alone starts
  start.addEventListener("change", () => start.requestSubmit());

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
      button("Restore", () => { write(draft.text); forget(draft.id); item.remove(); }),
      button("Discard", () => { forget(draft.id); item.remove(); }));
    drafts.append(item);
  }
})();
