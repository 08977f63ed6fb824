import { workflowInputSchema } from "../../../schema/contract/management.ts";
import type { WorkflowInput, WorkflowView } from "../../../schema/contract/management.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { importQuerySchema, workflowFileHeadSchema } from "../../../schema/contract/workflow-file.ts";
import type { ImportCheck } from "../../../schema/contract/workflow-file.ts";
import { readYaml } from "../../domain/workflow-file/read-yaml.ts";
import type { Position } from "../../domain/workflow-file/read-yaml.ts";
import { shownErrors } from "../../domain/shown-errors.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import type { Principal } from "../principal.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { checkInput, invalidInput, parseInput } from "../parse.ts";
import { findRefusals, forbidden } from "./authority.ts";
import type { Refusal } from "./authority-rule.ts";
import { checkWorkflow } from "./check.ts";
import { resolveReferences } from "./import-references.ts";
import { insertDraft, replaceDraft } from "./store-draft.ts";

export type Imported =
  | { type: "created" | "replaced"; workflow: WorkflowView }
  /** A dry run: nothing was saved. */
  | { type: "checked"; check: ImportCheck };

type FileError = FieldError & Position;
type Place = (errors: readonly FieldError[]) => FileError[];
type CheckedFile =
  | { ok: true; workflow: WorkflowInput; warnings: FieldError[]; place: Place }
  | { ok: false; errors: FileError[] };

/**
 * Creates a workflow from a file, or replaces the draft of the one that `?workflowId=` names; published versions do not
 * change. A file with problems is refused with all of them, each with its path and its place in the file.
 */
export async function importWorkflow(
  deps: Deps,
  by: Principal,
  { query, text, expected = null }: { query: unknown; text: string; expected?: ExpectedRevisions },
): Promise<Imported> {
  const { workflowId, dryRun } = parseInput(importQuerySchema, query);
  const seen = workflowId === undefined ? null : await findWorkflow(deps.db, workflowId);
  if (workflowId !== undefined) {
    if (seen === null) throw notFound("workflow", workflowId);
    // Before the check of the file: a person who edits an old state must know that first.
    requireRevision(expected, seen.revision);
  }
  const checked = await checkFile(deps, text);
  const refusals = checked.ok ? await refusalsOf(deps, by, seen, checked) : [];
  if (dryRun === "true") {
    const action = workflowId === undefined ? "create" : "replace";
    const errors = checked.ok ? refusals.flatMap((refusal) => refusal.errors) : checked.errors;
    const check =
      checked.ok && errors.length === 0
        ? { valid: true, errors: [], workflow: checked.workflow }
        : { valid: false, errors: shownErrors(errors) };
    return { type: "checked", check: { action, ...check } };
  }
  if (!checked.ok) throw invalidInput(checked.errors);
  if (refusals.length > 0) throw forbidden(refusals);
  const { warnings } = checked;
  const parsed = { workflow: checked.workflow, isDraft: false, problems: [] };
  if (workflowId === undefined) {
    return { type: "created", workflow: { ...(await insertDraft(deps, by, "import", parsed)), warnings } };
  }
  const replaced = await replaceDraft(deps, { by, verb: "import", id: workflowId }, parsed, expected);
  return { type: "replaced", workflow: { ...replaced, warnings } };
}

/** The store checks again, with the draft of that moment; here each refusal gets its place in the file. */
async function refusalsOf(
  deps: Deps,
  by: Principal,
  seen: WorkflowRow | null,
  { workflow, place }: Extract<CheckedFile, { ok: true }>,
): Promise<Refusal[]> {
  const refusals = await findRefusals(deps, by, {
    step: "save",
    workflowId: seen?.id ?? null,
    before: seen?.definition ?? null,
    after: workflow.definition,
  });
  return refusals.map(({ detail, errors }) => ({ detail, errors: place(errors) }));
}

async function checkFile(deps: Deps, text: string): Promise<CheckedFile> {
  const file = readYaml(text);
  if (!file.ok) return { ok: false, errors: [...file.errors] };
  const { value, locate } = file;
  const place: Place = (errors) => errors.map((error) => ({ ...error, ...locate(error.path) }));
  if (!isJsonObject(value)) {
    return {
      ok: false,
      errors: place([{ path: "", message: "must be a workflow: apiVersion, kind, name, trigger, definition" }]),
    };
  }
  const { head, workflow } = parted(value);
  const checkedHead = checkInput(workflowFileHeadSchema, head);
  const { definition } = workflow;
  const resolved =
    definition === undefined ? null : await resolveReferences(deps, definition, checkedHead.ok ? checkedHead.data : {});
  const unresolved = (resolved?.errors ?? []).map(({ path, message }) => ({ path: `definition.${path}`, message }));
  const checked = await checkWorkflow(
    deps,
    resolved === null ? workflow : { ...workflow, definition: resolved.definition },
  );
  const known = new Set(unresolved.map(({ path }) => path));
  const errors = [
    ...(checkedHead.ok ? [] : checkedHead.errors),
    ...unresolved,
    // The unresolved references already say more precisely that there is no such id.
    ...(checked.ok ? [] : checked.errors.filter(({ path }) => !known.has(path))),
  ];
  return checked.ok && errors.length === 0
    ? { ok: true, workflow: checked.data, warnings: [...checked.warnings], place }
    : { ok: false, errors: place(errors) };
}

/** Splits the fields of the file into those of the workflow and those of the file itself. */
function parted(value: JsonObject): { head: JsonObject; workflow: { [key: string]: JsonValue } } {
  const isWorkflows = ([key]: [string, JsonValue]) => Object.hasOwn(workflowInputSchema.shape, key);
  const entries = Object.entries(value);
  return {
    head: Object.fromEntries(entries.filter((entry) => !isWorkflows(entry))),
    workflow: Object.fromEntries(entries.filter(isWorkflows)),
  };
}
