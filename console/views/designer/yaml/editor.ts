import { defaultKeymap, history, indentWithTab, redo, undo } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState, Transaction } from "@codemirror/state";
import type { ChangeSpec } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { nonce } from "../../../app/nonce.ts";
import { codeLook } from "../../../workflow-forms/code-look.ts";
import { designerSaving } from "../../../strings/en/designer-saving.ts";

export interface Mark {
  line: number;
  column: number;
  path: string;
  message: string;
  severity: "error" | "warning" | "info";
  /** A button at the mark. */
  button?: { name: string; apply: () => void } | undefined;
}

/** The part of CodeMirror that the pane needs. */
export interface YamlEditor {
  text: () => string;
  /** Changes that come from the draft. They do not call `onWrite`, and the editor cannot undo them. */
  change: (changes: readonly ChangeSpec[]) => void;
  mark: (marks: readonly Mark[]) => void;
  destroy: () => void;
}

interface EditorOptions {
  text: string;
  readOnly: boolean;
  onWrite: () => void;
  /** The text has lost the focus. */
  onLeave: () => void;
  /** Whether the text equals the draft: undo then applies to the draft, otherwise to the typed text. */
  isInStep: () => boolean;
  onUndo: () => void;
  onRedo: () => void;
}

const fromDraft = Annotation.define<boolean>();

export function createEditor(parent: HTMLElement, options: EditorOptions): YamlEditor {
  const either = (draft: () => void, text: typeof undo) => (view: EditorView) => {
    if (!options.isInStep()) return text(view);
    draft();
    return true;
  };
  const view = new EditorView({
    parent,
    doc: options.text,
    extensions: [
      EditorView.cspNonce.of(nonce),
      lineNumbers(),
      foldGutter(),
      lintGutter(),
      highlightActiveLine(),
      history(),
      indentOnInput(),
      keymap.of([
        { key: "Mod-z", run: either(options.onUndo, undo), preventDefault: true },
        { key: "Mod-Shift-z", run: either(options.onRedo, redo), preventDefault: true },
        { key: "Mod-y", run: either(options.onRedo, redo), preventDefault: true },
        ...lintKeymap,
        ...foldKeymap,
        ...defaultKeymap,
        // Tab indents. After Escape, Tab leaves the editor, for people without a mouse.
        indentWithTab,
      ]),
      yaml(),
      codeLook,
      LOOK,
      EditorState.readOnly.of(options.readOnly),
      EditorView.contentAttributes.of({ "aria-label": designerSaving.yaml.label, spellcheck: "false" }),
      EditorView.domEventHandlers({
        blur: () => {
          options.onLeave();
          return false;
        },
      }),
      EditorView.updateListener.of((update) => {
        const isDraft = update.transactions.some((transaction) => transaction.annotation(fromDraft) === true);
        if (update.docChanged && !isDraft) options.onWrite();
      }),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    change: (changes) =>
      view.dispatch({ changes, annotations: [fromDraft.of(true), Transaction.addToHistory.of(false)] }),
    mark: (marks) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          marks.map(({ line, column, path, message, severity, button }) => {
            const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
            const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
            const actions = button === undefined ? {} : { actions: [button] };
            return { from, to: at.to, severity, message: `${path} ${message}`.trim(), ...actions };
          }),
        ),
      ),
    destroy: () => view.destroy(),
  };
}

const LOOK = EditorView.theme({
  "&": { height: "100%", border: "none", borderRadius: "0", fontSize: "0.75rem" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--mantine-primary-color-filled) 7%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-diagnostic": { whiteSpace: "normal", maxWidth: "30rem" },
});
