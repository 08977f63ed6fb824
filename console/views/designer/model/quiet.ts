import { isAt, isError } from "../../../workflow-forms/problems.ts";
import { isOfTrigger } from "../../../workflow-forms/draft-problems.ts";
import type { DraftProblem } from "../../../workflow-forms/draft-problems.ts";
import { TRIGGER_ID } from "./trigger.ts";

/** The form of a node, of the trigger, or of the workflow: its id, or null for the workflow's. */
export type FormId = string | null;

/** The errors that wait until the person leaves the field, leaves the form, or asks for all problems. */
export interface Quiet {
  /** A node whose form is open since the node was added, and the fields there that the person has left. */
  readonly added: { readonly id: string; readonly left: readonly string[] } | null;
  /** The field with the focus. Null when it showed an error as it got the focus: then its errors follow the typing. */
  readonly field: { readonly form: FormId; readonly path: string } | null;
  /** A new workflow may have no steps. */
  readonly empty: boolean;
}

export const ALL_SHOWN: Quiet = { added: null, field: null, empty: false };

export function isShown(quiet: Quiet, problem: DraftProblem): boolean {
  if (!isError(problem)) return true;
  const { form, path } = placeOf(problem);
  if (quiet.empty && path === "definition.nodes") return false;
  if (path === "") return true;
  const { added, field } = quiet;
  if (added !== null && added.id === form && !added.left.some((left) => isAt(path, left))) return false;
  return field === null || field.form !== form || !isAt(path, field.path);
}

export function withAdded(quiet: Quiet, id: string): Quiet {
  return { ...quiet, added: { id, left: [] } };
}

/** After the person entered a field. */
export function entered(quiet: Quiet, problems: readonly DraftProblem[], form: FormId, path: string): Quiet {
  const hasError = problems.some((problem) => {
    const place = placeOf(problem);
    return isError(problem) && place.form === form && isAt(place.path, path) && isShown(quiet, problem);
  });
  return { ...quiet, field: hasError ? null : { form, path } };
}

/** After the person left a field. */
export function left(quiet: Quiet, form: FormId, path: string): Quiet {
  const { added } = quiet;
  const isNew = added !== null && added.id === form;
  return { ...quiet, field: null, added: isNew ? { ...added, left: [...added.left, path] } : added };
}

/** After another form was opened. Returns the same object for the same form. */
export function inForm(quiet: Quiet, form: FormId): Quiet {
  const { added, field } = quiet;
  const isSame = (added === null || added.id === form) && (field === null || field.form === form);
  return isSame ? quiet : { ...quiet, added: added?.id === form ? added : null, field: null };
}

/** After a node got another id. */
export function renamed(quiet: Quiet, from: string, to: string): Quiet {
  const { added, field } = quiet;
  return {
    ...quiet,
    added: added?.id === from ? { ...added, id: to } : added,
    field: field?.form === from ? { ...field, form: to } : field,
  };
}

function placeOf({ nodeId, path, within }: DraftProblem): { form: FormId; path: string } {
  if (nodeId !== null) return { form: nodeId, path: within };
  return isOfTrigger(path) ? { form: TRIGGER_ID, path: within } : { form: null, path };
}
