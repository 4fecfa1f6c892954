// The editor of the playground: CodeMirror with YAML, problems, and completion from a JSON Schema. It stands in a shadow root,
// where its styles are constructed style sheets: the console's policy allows no style elements.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completeFrom } from "./schema.js";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent", fontSize: "13px", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "transparent", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { paddingLeft: "12px" },
  ".cm-gutter-lint": { width: "16px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--shade)" },
  ".cm-activeLineGutter": { color: "var(--ink)" },
  ".cm-marked": { backgroundColor: "var(--warn-soft)", boxShadow: "inset 2px 0 var(--warn)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--line)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-soft)" },
  ".cm-tooltip, .cm-tooltip.cm-completionInfo": {
    color: "var(--ink)", backgroundColor: "var(--card)", border: "1px solid var(--line)", borderRadius: "6px",
    boxShadow: "0 4px 16px rgb(0 0 0 / 0.18)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em", borderRadius: "5px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px", lineHeight: "18px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--on-accent)", backgroundColor: "var(--accent)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal", marginLeft: "12px" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-tooltip.cm-completionInfo": { padding: "8px 10px", maxWidth: "320px", fontFamily: "var(--sans)", lineHeight: "18px" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--sans)", maxWidth: "480px", borderLeft: "3px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-lintRange-error, .cm-lintRange-warning": {
    backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textDecorationSkipInk: "none", textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": { textDecorationColor: "var(--warn)" },
  ".cm-lint-marker-error, .cm-lint-marker-warning": {
    content: "''", width: "8px", height: "8px", margin: "6px 4px", borderRadius: "50%", backgroundColor: "var(--bad)",
  },
  ".cm-lint-marker-warning": { backgroundColor: "var(--warn)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent-strong)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: tags.content, color: "var(--ink)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.meta], color: "var(--soft)" },
]);

// The line that is marked, such as that of a rule. A change of the text ends the mark.
const setMark = StateEffect.define();
const mark = StateField.define({
  create: () => Decoration.none,
  update: (marked, tr) => {
    for (const e of tr.effects) if (e.is(setMark)) return Decoration.set(Decoration.line({ class: "cm-marked" }).range(e.value));
    return tr.docChanged ? Decoration.none : marked;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// typeOver replaces a selection by what is typed. Left to it, the browser would keep colours in style attributes, which the policy
// forbids.
const typeOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { state } = view, { from, to, empty } = state.selection.main;
    if (event.inputType !== "insertText" || empty || view.composing) return false;
    const insert = () => state.update(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    if (!state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, event.data, insert))) view.dispatch(insert());
    return true;
  },
});

const positionOf = (doc, line, column) => {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(at.from + Math.max(column - 1, 0), at.to);
};

// create shows an editor in an element. schema is a promise; changed and run are called after a change, and for Ctrl-Enter.
export function create({ parent, text, schema, label, changed, run }) {
  const root = parent.attachShadow({ mode: "open" });
  const view = new EditorView({
    root, parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), lintGutter(), highlightActiveLineGutter(), highlightSpecialChars(), history(), indentUnit.of("  "), indentOnInput(),
        bracketMatching(), closeBrackets(), highlightActiveLine(), yaml(), syntaxHighlighting(colours), mark, theme, typeOver,
        autocompletion({ override: [async (context) => completeFrom(await schema)(context)], icons: false }),
        keymap.of([
          { key: "Mod-Enter", run: () => { run(); return true; } },
          { key: "F8", run: nextDiagnostic },
          ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap,
        ]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace: (by) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: by } }),
    focus: () => view.focus(),

    // mark shows problems: their lines and columns from 1, messages, and whether they are warnings.
    mark: (problems) => {
      const { doc } = view.state;
      view.dispatch(setDiagnostics(view.state, problems.map((p) => {
        const from = positionOf(doc, p.line, p.column), rest = doc.sliceString(from, doc.lineAt(from).to);
        const length = (/^("[^"]*"|[^\s,:{}[\]#]+)/.exec(rest) ?? /^.?/.exec(rest))[0].length;
        return { from, to: from + length, severity: p.warning ? "warning" : "error", message: p.message };
      })));
    },

    // show goes to a position and marks its line.
    show: (line, column) => {
      const at = positionOf(view.state.doc, line, column);
      view.dispatch({
        selection: { anchor: at },
        effects: [setMark.of(view.state.doc.lineAt(at).from), EditorView.scrollIntoView(at, { y: "center" })],
      });
      view.focus();
    },
  };
}
