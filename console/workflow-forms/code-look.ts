import { HighlightStyle, defaultHighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { Decoration, EditorView, MatchDecorator, ViewPlugin } from "@codemirror/view";
import type { DecorationSet, ViewUpdate } from "@codemirror/view";

/** Replaces CodeMirror's colours, made for a white page, with those of the theme, which has light and dark. */
const COLORS: Readonly<Record<string, string>> = {
  "#708": "var(--mantine-color-grape-text)",
  "#219": "var(--mantine-color-blue-text)",
  "#164": "var(--mantine-color-green-text)",
  "#a11": "var(--mantine-color-red-text)",
  "#e40": "var(--mantine-color-orange-text)",
  "#00f": "var(--mantine-color-blue-text)",
  "#30a": "var(--mantine-color-violet-text)",
  "#085": "var(--mantine-color-green-text)",
  "#167": "var(--mantine-color-cyan-text)",
  "#256": "var(--mantine-color-cyan-text)",
  "#00c": "var(--mantine-color-blue-text)",
  "#940": "var(--mantine-color-dimmed)",
  "#404740": "var(--mantine-color-dimmed)",
  "#f00": "var(--mantine-color-red-text)",
};

const highlighting = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) =>
    typeof color === "string" ? { ...spec, color: COLORS[color] ?? "inherit" } : spec,
  ),
);

const templates = new MatchDecorator({
  regexp: /\{\{[^{}\n]*\}\}/gu,
  decoration: Decoration.mark({ class: "cm-template" }),
});

const markTemplates = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = templates.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = templates.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

const look = EditorView.theme({
  "&": {
    fontSize: "var(--mantine-font-size-sm)",
    color: "var(--mantine-color-text)",
    // Like Mantine's inputs.
    backgroundColor: "light-dark(var(--mantine-color-white), var(--mantine-color-dark-6))",
    border: "1px solid var(--mantine-color-default-border)",
    borderRadius: "var(--mantine-radius-default)",
  },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)", outlineOffset: "-1px" },
  "&.cm-editor[data-invalid]": { borderColor: "var(--mantine-color-error)" },
  ".cm-content": {
    fontFamily: "var(--mantine-font-family-monospace)",
    padding: "0.4rem 0",
    caretColor: "var(--mantine-color-text)",
  },
  ".cm-line": { padding: "0 0.6rem", overflowWrap: "anywhere" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  ".cm-placeholder": { color: "var(--mantine-color-dimmed)" },
  ".cm-scroller": { overflow: "auto", lineHeight: "1.5" },
  ".cm-gutters": {
    color: "var(--mantine-color-dimmed)",
    backgroundColor: "transparent",
    borderRight: "1px solid var(--mantine-color-default-border)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--mantine-primary-color-light-hover)",
  },
  ".cm-template": {
    color: "var(--mantine-primary-color-light-color)",
    backgroundColor: "var(--mantine-primary-color-light)",
    borderRadius: "2px",
  },
  ".cm-template *": { color: "inherit" },
  ".cm-tooltip": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
    border: "1px solid var(--mantine-color-default-border)",
    boxShadow: "var(--mantine-shadow-md)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mantine-font-family-monospace)",
    fontSize: "var(--mantine-font-size-xs)",
    maxWidth: "min(640px, 92vw)",
    maxHeight: "14rem",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.25rem 0.5rem", whiteSpace: "normal" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--mantine-primary-color-filled)",
    color: "var(--mantine-primary-color-contrast)",
  },
  ".cm-completionDetail": { fontStyle: "normal", fontFamily: "var(--mantine-font-family)", opacity: "1" },
});

/** The look of code and templates in both colour schemes. */
export const codeLook: Extension = [look, markTemplates, syntaxHighlighting(highlighting)];
