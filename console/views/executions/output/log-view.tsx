import { Compartment, EditorState, RangeSet } from "@codemirror/state";
import type { Extension, Range } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  GutterMarker,
  ViewPlugin,
  gutterLineClass,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { DecorationSet } from "@codemirror/view";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import { nonce } from "../../../app/nonce.ts";
import type { Found } from "./find.ts";
import { cssOf } from "./styles.ts";
import type { TerminalStyle } from "./terminal-style.ts";
import type { TerminalText } from "./terminal-text.ts";
import classes from "./output.module.css";

interface LogViewProps {
  /** The text's name for screen readers. */
  label: string;
  shown: TerminalText;
  wraps: boolean;
  found: readonly Found[];
  /** The index of the place in `found` that is shown. */
  current: number;
  /** The chosen line, from 1. */
  line: number | null;
  onLine: (line: number) => void;
  /** Begins with the end of the text. */
  fromEnd: boolean;
}

/** Kept above and below a line that is chosen by its number. A visible line does not move. */
const LINE_MARGIN_PX = 100;

/** A text of any length. Only the lines near the window are in the page. */
export function LogView(props: LogViewProps) {
  const { label, shown, wraps, found, current, line } = props;
  const holder = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  const latest = useRef(props);
  const editor = useRef<{ view: EditorView; changing: Compartment } | null>(null);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (holder.current === null) return undefined;
    const changing = new Compartment();
    const state = EditorState.create({
      doc: shown.text,
      extensions: [
        fixedLook(label, (chosen) => latest.current.onLine(chosen)),
        marksInView(shown.spans, ({ style }) => styleMark(style, dark)),
        changing.of([]),
      ],
    });
    const scrollTo = firstPlace(state, latest.current);
    const view = new EditorView({ state, parent: holder.current, scrollTo });
    editor.current = { view, changing };
    return () => {
      view.destroy();
      editor.current = null;
    };
  }, [label, shown, dark]);

  useEffect(() => {
    if (editor.current === null) return;
    const { view, changing } = editor.current;
    const matches = marksInView(found, (_, index) => (index === current ? CURRENT : MATCH));
    const extensions = [wraps ? EditorView.lineWrapping : [], matches, line === null ? [] : chosen(view.state, line)];
    view.dispatch({ effects: changing.reconfigure(extensions) });
  }, [label, shown, dark, wraps, found, current, line]);

  const place = found[current];
  useEffect(() => {
    if (place === undefined) return;
    editor.current?.view.dispatch({ effects: EditorView.scrollIntoView(place.from, { y: "center", x: "center" }) });
  }, [place]);
  const previous = useRef(line);
  useEffect(() => {
    if (line !== null && previous.current !== line && editor.current !== null) {
      const { view } = editor.current;
      view.dispatch({ effects: EditorView.scrollIntoView(startOf(view.state, line), { yMargin: LINE_MARGIN_PX }) });
    }
    previous.current = line;
  }, [line]);

  return <div ref={holder} className={classes["log"]} />;
}

const MATCH = Decoration.mark({ class: "cm-found" });
const CURRENT = Decoration.mark({ class: "cm-found cm-current" });
const styleMarks = new Map<string, Decoration>();

function styleMark(style: TerminalStyle, dark: boolean): Decoration {
  const probe = document.createElement("span");
  Object.assign(probe.style, cssOf(style, dark));
  const css = probe.style.cssText;
  const known = styleMarks.get(css) ?? Decoration.mark({ attributes: { style: css } });
  styleMarks.set(css, known);
  return known;
}

/** Marks the places that are in the part of the text that the editor shows. */
function marksInView<Place extends Found>(
  places: readonly Place[],
  markOf: (place: Place, index: number) => Decoration,
): Extension {
  const build = ({ viewport: { from, to } }: EditorView): DecorationSet => {
    const marks: Range<Decoration>[] = [];
    for (let index = firstEndingAfter(places, from); index < places.length; index += 1) {
      const place = places[index];
      if (place === undefined || place.from >= to) break;
      marks.push(markOf(place, index).range(place.from, place.to));
    }
    return Decoration.set(marks);
  };
  return ViewPlugin.define(
    (view) => ({
      marks: build(view),
      update(update) {
        if (update.viewportChanged) this.marks = build(update.view);
      },
    }),
    { decorations: ({ marks }) => marks },
  );
}

function firstEndingAfter(places: readonly Found[], at: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.to ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What is shown first: the found place, the chosen line, or an end of the text. */
function firstPlace(state: EditorState, { found, current, line, fromEnd }: LogViewProps) {
  const wanted = found[current]?.from ?? (line === null ? null : startOf(state, line));
  if (wanted !== null) return EditorView.scrollIntoView(wanted, { y: "center" });
  return EditorView.scrollIntoView(fromEnd ? state.doc.length : 0);
}

class ChosenNumber extends GutterMarker {
  override elementClass = "cm-chosen-number";
}

function startOf({ doc }: EditorState, line: number): number {
  return doc.line(Math.min(line, doc.lines)).from;
}

function chosen(state: EditorState, line: number): Extension {
  if (line > state.doc.lines) return [];
  const from = startOf(state, line);
  return [
    EditorView.decorations.of(Decoration.set(Decoration.line({ class: "cm-chosen" }).range(from))),
    gutterLineClass.of(RangeSet.of([new ChosenNumber().range(from)])),
  ];
}

function fixedLook(label: string, onLine: (line: number) => void): Extension {
  return [
    EditorView.cspNonce.of(nonce),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    lineNumbers({
      // A text that ends with a newline has no further line.
      formatNumber: (line, { doc }) => (line === doc.lines && doc.line(line).length === 0 ? "" : String(line)),
      domEventHandlers: {
        click: (view, block) => {
          onLine(view.state.doc.lineAt(block.from).number);
          return true;
        },
      },
    }),
    // Lines that are not in the page are selected, too.
    keymap.of([
      {
        key: "Mod-a",
        run: (view) => {
          view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
          return true;
        },
      },
    ]),
    EditorView.theme(LOOK),
  ];
}

const LOOK = {
  "&": { height: "100%", fontSize: "var(--bellhop-mono-size)", color: "var(--mantine-color-text)" },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.45" },
  ".cm-line": { padding: "0 0.5rem", overflowWrap: "anywhere" },
  ".cm-gutters": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-dimmed)",
    borderInlineEnd: "1px solid var(--mantine-color-default-border)",
  },
  ".cm-lineNumbers .cm-gutterElement": { cursor: "pointer" },
  ".cm-lineNumbers .cm-gutterElement:hover, .cm-chosen-number": {
    color: "var(--mantine-color-text)",
    fontWeight: "bold",
  },
  ".cm-chosen": {
    boxShadow: "inset 3px 0 0 var(--mantine-primary-color-filled)",
    backgroundColor: "color-mix(in srgb, var(--mantine-primary-color-filled) 12%, transparent)",
  },
  ".cm-found, .cm-found *": { color: "#000 !important", backgroundColor: "#ffe066 !important" },
  ".cm-current, .cm-current *": { backgroundColor: "#ffa94d !important" },
};
