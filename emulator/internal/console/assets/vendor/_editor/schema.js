// Completion of scenario files from their JSON Schema. A text is unfinished where one types: the path to the cursor is read
// from the lines before it, by their columns and brackets, and not from a syntax tree.
import { startCompletion } from "@codemirror/autocomplete";

const keyAt = /^("[^"]*"|'[^']*'|[^\s"'#,:{}[\]](?:[^#:]|:(?=\S))*?)\s*:(?=\s|$)/;
const unquoted = (text) => text.replace(/^(["'])(.*)\1$/, "$2");

// placeAt returns what is at the end of the last line: the path of keys and items (0) to it, whether a value goes there, the text
// that has been begun, the keys beside it, its column, and whether it is in flow style.
export function placeAt(lines) {
  let block = []; // mappings and lists around the line, with their columns
  let flow = []; // those in flow style, which may go on over lines
  let begun = 0; // where the item in flow style begins in its line
  let rest = "", column = 0, value = false;

  const scan = () => {
    for (let i = begun; i < rest.length; i++) {
      const c = rest[i], inner = flow.at(-1);
      if (c === "#" && /\s/.test(rest[i - 1] ?? " ")) return;
      if (/["']/.test(c) && !rest.slice(begun, i).trim()) {
        i = rest.indexOf(c, i + 1);
        if (i < 0) return;
      } else if (/[{[]/.test(c)) {
        flow.push({ list: c === "[", key: null, has: new Set() });
        begun = i + 1;
      } else if (/[}\]]/.test(c)) {
        flow.pop();
        if (!flow.length) return;
      } else if (c === ",") {
        inner.key = null;
        begun = i + 1;
      } else if (c === ":" && !inner.list && inner.key === null && /\s/.test(rest[i + 1] ?? " ")) {
        inner.key = unquoted(rest.slice(begun, i).trim());
        inner.has.add(inner.key);
        begun = i + 1;
      }
    }
  };
  const leave = (list) => {
    block = block.filter((b) => b.column < column || b.column === column && (list || !b.list));
    return block.at(-1)?.column === column ? block.at(-1) : null;
  };

  lines.forEach((line, number) => {
    const last = number === lines.length - 1;
    begun = 0;
    if (flow.length) {
      rest = line;
      scan();
      return;
    }
    if (/^(---|\.\.\.)(\s|$)/.test(line)) block = [];
    if (!last && /^\s*($|#|---|\.\.\.)/.test(line)) return;
    column = line.search(/\S|$/);
    rest = line.slice(column);
    for (let dash; (dash = /^-(\s+|$)/.exec(rest)); rest = rest.slice(dash[0].length), column += dash[0].length) {
      if (!leave(true)?.list) block.push({ column, list: true });
    }
    const key = keyAt.exec(rest);
    let mapping = leave(false);
    if (!mapping && (key || last)) block.push(mapping = { column, key: null, has: new Set() });
    if (mapping) mapping.key = null;
    value = key !== null;
    if (key) {
      mapping.key = unquoted(key[1]);
      mapping.has.add(mapping.key);
      rest = rest.slice(key[0].length);
    }
    if (/^\s*[{[]/.test(rest)) scan();
  });

  const around = [...block, ...flow], inner = around.at(-1);
  return {
    path: around.flatMap((b) => (b.list ? [0] : b.key === null ? [] : [b.key])),
    value: flow.length ? inner.list || inner.key !== null : value,
    text: rest.slice(begun).trimStart(),
    has: inner.has ?? new Set(),
    column,
    flow: flow.length > 0,
  };
}

// keysBelow adds the keys of a block mapping in the lines below the cursor.
function keysBelow(lines, column, has) {
  for (const line of lines) {
    const indent = line.search(/\S/);
    if (indent >= 0 && indent < column || /^---/.test(line)) return;
    const key = indent === column && keyAt.exec(line.slice(indent));
    if (key) has.add(unquoted(key[1]));
  }
}

// nodesAt returns the parts of a schema that describe what is at a path.
export function nodesAt(schema, path) {
  const open = (node) => {
    if (!node || typeof node !== "object") return [];
    const target = node.$ref && schema.$defs[node.$ref.slice("#/$defs/".length)];
    return [node, ...(target ? open(target) : []), ...(node.anyOf ?? []).flatMap(open)];
  };
  return path.reduce((nodes, step) => nodes.flatMap((node) => {
    if (step === 0) return open(node.items);
    const patterns = Object.entries(node.patternProperties ?? {}).filter(([pattern]) => new RegExp(pattern).test(step));
    return [node.properties?.[step], ...patterns.map(([, n]) => n), node.additionalProperties].flatMap(open);
  }), open(schema));
}

// insert returns what a key is completed to, and where the cursor goes in it.
function insert(key, nodes, place) {
  const kinds = new Set(nodes.flatMap((n) => n.type ?? (n.enum ? "string" : [])));
  const simple = ["string", "number", "integer", "boolean"].some((kind) => kinds.has(kind));
  const indent = "\n" + " ".repeat(place.column + 2);
  if (simple || !kinds.size) return [`${key}: `, ""];
  if (place.flow) return kinds.has("object") ? [`${key}: {`, "}"] : [`${key}: [`, "]"];
  return [`${key}:${indent}${kinds.has("array") ? "- " : ""}`, ""];
}

const wordsOf = (nodes) => [...new Set(nodes.flatMap((n) => n.enum ?? (n.const === undefined ? [] : [n.const])))].map(String);

// completeFrom returns a source of completions.
export const completeFrom = (schema) => (context) => {
  const before = context.state.sliceDoc(0, context.pos).split("\n");
  if (/(^|\s)#/.test(before.at(-1))) return null;
  const place = placeAt(before);
  if (!context.explicit && !place.text && !place.value) return null;
  const nodes = nodesAt(schema, place.path), from = context.pos - place.text.length;
  const options = wordsOf(nodes).map((label) => ({ label, type: "enum" }));
  if (nodes.some((n) => [].concat(n.type).includes("boolean")) && !nodes.some((n) => [].concat(n.type).includes("number"))) {
    options.push({ label: "true", type: "enum" }, { label: "false", type: "enum" });
  }
  if (!place.value) {
    if (!place.flow) keysBelow(context.state.sliceDoc(context.pos).split("\n").slice(1), place.column, place.has);
    const keys = Object.assign({}, ...nodes.map((n) => n.properties));
    for (const [key, node] of Object.entries(keys).filter(([k]) => !place.has.has(k))) {
      const below = nodesAt(schema, [...place.path, key]);
      options.push({
        label: key, type: "property", info: node.description,
        detail: wordsOf(below).slice(0, 3).join(", "),
        apply: (view, completion, from, to) => {
          const [head, tail] = /^\s*:/.test(view.state.sliceDoc(to, to + 20)) ? [key, ""] : insert(key, below, place);
          view.dispatch({
            changes: { from, to, insert: head + tail }, selection: { anchor: from + head.length },
            userEvent: "input.complete", scrollIntoView: true,
          });
          startCompletion(view); // of its value
        },
      });
    }
  }
  return options.length ? { from, options } : null;
};
