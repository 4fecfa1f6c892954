// Code in the language that was chosen last, with the key that the user typed. The key stays in this browser: it is stored by
// world, and never sent.
"use strict";

(() => {
  const world = document.body.dataset.world ?? "";
  const worldLength = 24; // digits of an id

  const stored = (name) => { try { return localStorage.getItem(name) ?? ""; } catch { return ""; } };
  const store = (name, text) => { try { localStorage.setItem(name, text); } catch { /* it lasts as long as the page */ } };

  // worldOf returns the id of a key's world, as the emulator computes it; "" where the browser has no hashes.
  const worldOf = async (key) => {
    if (!crypto.subtle) return "";
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
    return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  const fill = (key) => {
    for (const place of document.querySelectorAll("[data-key]")) place.textContent = key || place.dataset.key;
  };

  const choose = (language) => {
    for (const choice of document.querySelectorAll(".languages input")) choice.checked ||= choice.value === language;
  };

  const typed = async (field) => {
    const key = field.value.trim();
    const valid = key === "" || new RegExp(`^(?:${field.pattern})$`).test(key);
    const id = valid && key ? await worldOf(key) : "";
    const elsewhere = world !== "" && id !== "" && !id.startsWith(world);
    field.setCustomValidity(elsewhere ? "This key is that of another world." : "");
    field.reportValidity();
    if (!valid || elsewhere) return;
    for (const other of document.querySelectorAll("[data-own-key]")) if (other !== field) other.value = key;
    store("understudy-key-" + world, key);
    if (id) store("understudy-key-" + id.slice(0, worldLength), key);
    fill(key);
  };

  const made = document.querySelector("[data-made]"); // the key of a new world
  if (made) store("understudy-key-" + world, made.textContent);
  // prepare fills in the key and the language on a page, or on a part of it that has come.
  const prepare = (root) => {
    const known = stored("understudy-key-" + world);
    for (const field of root.querySelectorAll("[data-own-key]")) {
      field.closest("label").hidden = false;
      field.value = known;
      field.addEventListener("change", () => typed(field));
    }
    if (known) fill(known);
    choose(stored("understudy-language"));
  };
  prepare(document);
  document.body.addEventListener("htmx:load", (event) => { if (event.detail.elt !== document.body) prepare(event.detail.elt); });
  document.body.addEventListener("change", (event) => {
    if (!event.target.matches(".languages input")) return;
    store("understudy-language", event.target.value);
    choose(event.target.value);
  });
})();
