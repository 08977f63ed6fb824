import type { Edge } from "../../schema/contract/workflow.ts";
import { edgeId } from "../graph/layout.ts";
import { isOfTrigger } from "./draft-problems.ts";
import type { DraftProblem } from "./draft-problems.ts";
import { isAt } from "./problems.ts";

/** Buttons beside a field, such as the one for the full screen, come first in the document. */
const FIELD = ":is(input:not([type=hidden]), textarea, select, [contenteditable=true]):not(:disabled)";
const CONTROL = `:is(${FIELD}, [data-part][tabindex], button:not(:disabled), a)`;

/** The `data-part` of an edge in the list of a node's edges. */
export function edgePart(edge: Edge): string {
  return `edge ${edgeId(edge)}`;
}

/** The part of a form that shows a problem. */
export function partOf({ nodeId, edge, path, within }: DraftProblem): string {
  if (edge !== null) return edgePart(edge);
  return nodeId === null && !isOfTrigger(path) ? path : within;
}

/**
 * Scrolls to the part of the open form that shows the problem at a path, and focuses it: the innermost element with
 * `data-field` or `data-part` around that path. Without one, the first field. Returns false while no field can have
 * the focus, such as before an editor has loaded.
 */
export function openField(path: string): boolean {
  const form = document.querySelector("[data-form]");
  if (form === null) return false;
  const [innermost] = [...form.querySelectorAll<HTMLElement>("[data-field], [data-part]")]
    .flatMap((element) => {
      const at = element.dataset["part"] ?? element.dataset["field"] ?? "";
      return at !== "" && isAt(path, at) ? [{ element, length: at.length }] : [];
    })
    .toSorted((a, b) => b.length - a.length);
  const part = innermost?.element ?? form;
  if (part.querySelector("[data-editor-loading]") !== null) return false;
  const control = part.matches(CONTROL)
    ? part
    : (part.querySelector<HTMLElement>(FIELD) ?? part.querySelector<HTMLElement>(CONTROL));
  if (!(control instanceof HTMLElement)) return false;
  if (document.activeElement === control) return true;
  control.focus({ preventScroll: true });
  (control.closest(".mantine-InputWrapper-root") ?? control).scrollIntoView({ block: "center" });
  return document.activeElement === control;
}
