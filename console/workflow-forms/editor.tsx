import { closeCompletion, completionStatus, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { Annotation, Compartment, EditorState, Prec, Transaction } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useImperativeHandle, useRef } from "react";
import type { Ref } from "react";
import { nonce } from "../app/nonce.ts";
import { codeLook } from "./code-look.ts";
import { completeTemplates } from "./complete-templates.ts";
import type { CompletionMode } from "./complete-templates.ts";
import type { Completion } from "./completion.ts";
import { extensionOf } from "./languages.ts";
import type { EditorLanguage } from "./languages.ts";

export interface EditorProps {
  value: string;
  onChange: (text: string) => void;
  /** The control's name and what describes it, for screen readers. */
  attributes: Readonly<Record<string, string>>;
  invalid: boolean;
  readOnly: boolean;
  multiline: boolean;
  /** Null: plain text. */
  language: EditorLanguage | null;
  hint: string;
  mode: CompletionMode;
  offered: () => readonly Completion[];
  startsFocused: boolean;
  handle?: Ref<EditorHandle> | undefined;
}

/** What a form can do at the cursor. */
export interface EditorHandle {
  focus: () => void;
  cursor: () => { text: string; at: number };
  /** Inserts text at the cursor and focuses the editor. `report` gets the whole text instead of `onChange`. */
  insert: (text: string, report: (whole: string) => void) => void;
}

/** Marks a change that comes from the form, not from typing. */
const fromOutside = Annotation.define<boolean>();

/** A text field (CodeMirror, one line or several) that highlights and completes templates. */
export default function Editor(props: EditorProps) {
  const holder = useRef<HTMLDivElement | null>(null);
  const latest = useRef(props);
  const editor = useRef<{ view: EditorView; compartment: Compartment } | null>(null);
  // Texts that were reported but have not come back as `value` yet: a person may type faster than a busy page renders.
  const reported = useRef<string[]>([]);
  const { value, attributes, invalid, readOnly, multiline, language, hint, mode, handle } = props;

  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (holder.current === null) return undefined;
    const compartment = new Compartment();
    const view = new EditorView({
      parent: holder.current,
      doc: latest.current.value,
      // Before the first click the cursor is at the end: values are inserted there.
      selection: { anchor: latest.current.value.length },
      extensions: [
        EditorView.cspNonce.of(nonce),
        compartment.of(changing(latest.current)),
        completeTemplates(
          () => latest.current.offered(),
          () => latest.current.mode,
        ),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        codeLook,
        EditorView.lineWrapping,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            const text = update.state.doc.toString();
            if (!update.transactions.some((transaction) => transaction.annotation(fromOutside) === true)) {
              reported.current.push(text);
              latest.current.onChange(text);
            }
          }
          if (update.focusChanged && !update.view.hasFocus) closeCompletion(update.view);
        }),
        // An empty path field lists its options as soon as it gets the focus. A click closes the list of the focus.
        EditorView.domEventHandlers({
          focus: (_event, target) => offerPaths(target, latest.current),
          click: (_event, target) => offerPaths(target, latest.current),
        }),
      ],
    });
    editor.current = { view, compartment };
    if (latest.current.startsFocused) view.focus();
    return () => {
      view.destroy();
      editor.current = null;
    };
  }, []);

  useImperativeHandle(handle, () => ({
    focus: () => editor.current?.view.focus(),
    cursor: () => {
      const state = editor.current?.view.state;
      return { text: state?.doc.toString() ?? "", at: state?.selection.main.head ?? 0 };
    },
    insert: (text, report) => {
      const view = editor.current?.view;
      if (view === undefined) return;
      const from = view.state.selection.main.head;
      view.dispatch({
        changes: { from, insert: text },
        selection: { anchor: from + text.length },
        // The draft's history undoes this, not the editor's: another field may have changed with it.
        annotations: [fromOutside.of(true), Transaction.addToHistory.of(false)],
        scrollIntoView: true,
      });
      const whole = view.state.doc.toString();
      reported.current.push(whole);
      report(whole);
      view.focus();
    },
  }));

  const described = JSON.stringify(attributes);
  useEffect(() => {
    if (editor.current === null) return;
    const { view, compartment } = editor.current;
    view.dispatch({ effects: compartment.reconfigure(changing(latest.current)) });
  }, [described, invalid, readOnly, multiline, language, hint, mode]);

  useEffect(() => {
    const view = editor.current?.view;
    if (view === undefined) return;
    const own = reported.current.lastIndexOf(value);
    if (own >= 0) {
      reported.current.splice(0, own + 1);
      return;
    }
    reported.current = [];
    if (view.state.doc.toString() === value) return;
    const changes = { from: 0, to: view.state.doc.length, insert: value };
    view.dispatch({ changes, annotations: [fromOutside.of(true), Transaction.addToHistory.of(false)] });
  }, [value]);

  return <div ref={holder} style={{ minWidth: 0 }} />;
}

function offerPaths(view: EditorView, { mode, readOnly }: EditorProps): boolean {
  const isEmpty = view.state.doc.length === 0;
  if (mode === "path" && !readOnly && isEmpty && completionStatus(view.state) === null) startCompletion(view);
  return false;
}

/** The parts of an editor that can change after it is created. */
function changing({ attributes, invalid, readOnly, multiline, language, hint }: EditorProps): Extension {
  return [
    EditorView.contentAttributes.of({
      ...attributes,
      "aria-multiline": String(multiline),
      ...(invalid ? { "aria-invalid": "true" } : {}),
      ...(readOnly ? { "aria-readonly": "true", tabindex: "0" } : {}),
      spellcheck: "false",
    }),
    EditorView.editorAttributes.of(invalid ? { "data-invalid": "true" } : {}),
    EditorState.readOnly.of(readOnly),
    EditorView.editable.of(!readOnly),
    hint === "" ? [] : placeholder(hint),
    extensionOf(language),
    multiline
      ? [language === null || language === "json" ? [] : lineNumbers(), EditorView.theme(SEVERAL_LINES)]
      : ONE_LINE,
  ];
}

const SEVERAL_LINES = { ".cm-content": { minHeight: "4.5rem" }, ".cm-scroller": { maxHeight: "28rem" } };

const ONE_LINE: Extension = [
  Prec.high(keymap.of([{ key: "Enter", run: () => true }])),
  EditorView.clipboardInputFilter.of((text) => text.trim().replaceAll(/\s*\n\s*/gu, " ")),
];
