import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useComputedColorScheme } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { nonce } from "../app/nonce.ts";
import classes from "./diff-view.module.css";
import { controls } from "../strings/en/shell.ts";

interface Side {
  label: string;
  text: string;
}

/** Unchanged lines further than this from a change are folded, unless `whole` is set. */
const COLLAPSE = { margin: 3, minSize: 6 };

interface Props {
  before: Side;
  after: Side;
  /** Whether all unchanged lines are shown. */
  whole: boolean;
}

/** The differences of two texts: side by side on wide screens, one below the other on narrow ones. */
export default function DiffView({ before, after, whole }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme("light") === "dark";
  const isWide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  const { label: labelBefore, text: textBefore } = before;
  const { label: labelAfter, text: textAfter } = after;

  useEffect(() => {
    const parent = holder.current;
    if (parent === null) return undefined;
    const folding = whole ? {} : { collapseUnchanged: COLLAPSE };
    if (isWide) {
      const view = new MergeView({
        a: { doc: textBefore, extensions: look(labelBefore, dark) },
        b: { doc: textAfter, extensions: look(labelAfter, dark) },
        parent,
        ...folding,
      });
      return () => view.destroy();
    }
    const unified = unifiedMergeView({ original: textBefore, mergeControls: false, ...folding });
    const view = new EditorView({
      doc: textAfter,
      extensions: [look(`${labelBefore} → ${labelAfter}`, dark), unified],
      parent,
    });
    return () => view.destroy();
  }, [dark, isWide, whole, labelBefore, textBefore, labelAfter, textAfter]);

  return <div ref={holder} className={classes["diff"]} role="group" aria-label={controls.lineByLine} />;
}

/** Read-only text. Its style elements carry the page's nonce (Content-Security-Policy). */
function look(label: string, dark: boolean): Extension {
  return [
    EditorView.cspNonce.of(nonce),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    lineNumbers(),
    EditorView.lineWrapping,
    EditorView.theme(THEME, { dark }),
  ];
}

const THEME = {
  "&": { fontSize: "var(--bellhop-mono-size)", backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.5" },
  // Few fonts have CodeMirror's own character.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯"' },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--mantine-color-dimmed)",
    borderInlineEnd: "1px solid var(--mantine-color-default-border)",
  },
};
