import { acceptCompletion, autocompletion, completionStatus } from "@codemirror/autocomplete";
import type { CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { Prec } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { FilterName } from "../../worker/domain/template/filters.ts";
import { completions as text } from "../strings/en/completions.ts";
import type { Completion } from "./completion.ts";

/** `template`: paths between `{{` and `}}`. `path`: the whole field is one path, like the field of a condition. */
export type CompletionMode = "template" | "path";

/** Filters with quoted texts as arguments. */
const QUOTED: ReadonlySet<string> = new Set<FilterName>(["default", "split", "join", "oneOf"]);

/** Offers paths and filters while the person types. The caller supplies the current paths. */
export function completeTemplates(offered: () => readonly Completion[], mode: () => CompletionMode): Extension {
  const source: CompletionSource = (context) =>
    mode() === "path" ? pathResult(context, offered()) : (filterResult(context) ?? templateResult(context, offered()));
  return [
    autocompletion({
      override: [source],
      icons: false,
      activateOnTyping: true,
      aboveCursor: false,
      maxRenderedOptions: 100,
      // Paths that match equally well are in the order in which they are offered: the item before its index.
      compareCompletions: () => 0,
      // Options can be taken immediately: a delay would only be in the way.
      interactionDelay: 0,
      activateOnTypingDelay: 20,
    }),
    Prec.highest(keymap.of([{ key: "Tab", run: acceptCompletion }])),
    EditorView.contentAttributes.of((view): Record<string, string> =>
      // While the list is open, Escape closes the list and not the dialog around the field.
      completionStatus(view.state) === null ? {} : { "data-mantine-stop-propagation": "true" },
    ),
  ];
}

function templateResult(context: CompletionContext, completions: readonly Completion[]): CompletionResult | null {
  const before = context.matchBefore(/\{\{\s*[^\s{}]*/u);
  if (before === null) return null;
  const from = before.from + (/^\{\{\s*/u.exec(before.text)?.[0].length ?? 0);
  return {
    from,
    options: completions.map(({ path, detail }) => ({
      label: path,
      detail,
      apply: (view, _completion, start, end) => {
        const rest = /^\s*\}\}/u.exec(view.state.sliceDoc(end, end + 20))?.[0];
        const insert = rest === undefined ? `${path}}}` : path;
        view.dispatch({
          changes: { from: start, to: end, insert },
          selection: { anchor: start + path.length + (rest?.length ?? 2) },
          userEvent: "input.complete",
        });
      },
    })),
    validFor: /^[^\s{}|]*$/u,
  };
}

/** Offers filters after a bar in a template. A filter with an argument comes with quotes for it. */
function filterResult(context: CompletionContext): CompletionResult | null {
  const before = context.matchBefore(/\{\{[^{}\n|]+\|(?:[^{}\n]*\|)?\s*\w*/u);
  if (before === null) return null;
  return {
    from: before.to - (/\w*$/u.exec(before.text)?.[0].length ?? 0),
    options: Object.entries(text.filters).map(([name, detail]) => ({
      label: name,
      detail,
      apply: (view, _completion, start, end) => {
        const isClosed = /^[^{}\n]*\}\}/u.test(view.state.sliceDoc(end, end + 500));
        const isQuoted = QUOTED.has(name);
        const written = isQuoted ? `${name}:""` : name;
        const anchor = start + written.length + (isQuoted ? -1 : isClosed ? 0 : 2);
        const insert = isClosed ? written : `${written}}}`;
        view.dispatch({
          changes: { from: start, to: end, insert },
          selection: { anchor },
          userEvent: "input.complete",
        });
      },
    })),
    validFor: /^\w*$/u,
  };
}

function pathResult(context: CompletionContext, completions: readonly Completion[]): CompletionResult | null {
  const before = context.matchBefore(/[^\s{}]*/u);
  if (before === null) return null;
  return {
    from: before.from,
    options: completions.map(({ path, detail }) => ({ label: path, detail })),
    validFor: /^[^\s{}]*$/u,
  };
}
