import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { keysOf } from "../../schema/contract/records.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { INCIDENT_FIELDS, isIncidentField } from "./incident/fields.ts";

/** The values of `failed` in the templates of a failure workflow (docs/design/workflows.md#failure-workflows). */
export const FAILED_FIELDS = {
  executionId: "text",
  key: "text",
  "workflow.id": "text",
  "workflow.name": "text",
  "workflow.tags": "list",
  status: "text",
  "error.code": "text",
  "error.message": "text",
  "node.id": "text",
  "node.name": "text",
  "trigger.type": "text",
  startedAt: "text",
  endedAt: "text",
  url: "text",
  incident: "object",
} as const;
const PATHS = keysOf(FAILED_FIELDS);

/** The code of an execution that has reached its time limit. */
export const EXECUTION_TIMED_OUT = "execution_timed_out";

/** A failed execution. Times are epoch ms. */
export interface FailedExecution {
  readonly id: string;
  /** See `runKeyOf`: never a sensitive value. */
  readonly key: string | null;
  readonly workflow: { readonly id: string; readonly name: string; readonly tags: readonly string[] };
  readonly error: Failure;
  /** The node of the workflow's own graph that failed; null when none did. */
  readonly node: { readonly id: string; readonly name: string } | null;
  readonly trigger: ExecutionTrigger;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Its page in the console; null when the deployment does not know its address. */
  readonly url: string | null;
}

/** The same as templates see it. */
export function failedView(failed: FailedExecution): JsonObject {
  const { id, key, workflow, error, node, trigger, startedAt, endedAt, url } = failed;
  return {
    executionId: id,
    key,
    workflow: { ...workflow, tags: [...workflow.tags] },
    status: error.code === EXECUTION_TIMED_OUT ? "timed_out" : "failed",
    error: { code: error.code, message: error.message },
    node: node === null ? null : { ...node },
    trigger: { type: trigger.type },
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    url,
    ...(trigger.type === "incident" ? { incident: withoutBatch(trigger.incident) } : {}),
  };
}

/** Other events of the batch may be large, and the failure is the same for all. */
function withoutBatch({ batch: _batch, ...incident }: JsonObject): JsonObject {
  return incident;
}

/** The data of a dry run. */
export function sampleFailure(trigger: Trigger, now: number): JsonObject {
  const tags = trigger.type === "failure" ? (trigger.tags ?? []) : [];
  return failedView({
    id: "exe_sample",
    key: "checkout",
    workflow: { id: "wf_sample", name: "A sample workflow", tags },
    error: { code: "exit_code", message: "A sample failure" },
    node: { id: "restart", name: "restart" },
    trigger: { type: "webhook", variables: {} },
    startedAt: now,
    endedAt: now,
    url: "https://bellhop.example.com/executions/exe_sample",
  });
}

/** Whether the end of an execution can start failure workflows. Their own runs, and what they start, never can. */
export function mayBeReported({ type }: ExecutionTrigger): boolean {
  return type !== "failure" && type !== "workflow";
}

/** Whether a failed run of a workflow with these tags starts a workflow with this trigger. */
export function startsAfter(trigger: Trigger, tags: readonly string[]): boolean {
  return trigger.type === "failure" && (trigger.tags?.some((tag) => tags.includes(tag)) ?? true);
}

/** The reason why `failed.<path>` has no value; null for a path that can have one. */
export function failedProblem(path: readonly string[]): string | null {
  const [first, second] = path;
  if (first === "incident") {
    if (second === undefined || second === "tags" || isIncidentField(second)) return null;
    return `failed.incident has ${INCIDENT_FIELDS.join(", ")} and tags.<key>`;
  }
  const written = path.join(".");
  const isKnown = PATHS.some(
    (field) => field === written || field.startsWith(`${written}.`) || written.startsWith(`${field}.`),
  );
  return path.length === 0 || isKnown ? null : `failed has ${PATHS.join(", ")}`;
}

/** The names that may follow `failed.<path>`. */
export function failedNamesAfter(path: readonly string[]): readonly string[] {
  if (path.join(".") === "incident") return [...INCIDENT_FIELDS, "tags"];
  const below = PATHS.map((field) => field.split(".")).filter((parts) => path.every((part, at) => parts[at] === part));
  return [...new Set(below.flatMap((parts) => parts[path.length] ?? []))];
}

/** How many names of `failed.<path>` name a text; null for another value. */
export function failedTextLength([first = "", second]: readonly string[]): number | null {
  if (first === "incident") return second !== undefined && isIncidentField(second) ? 2 : null;
  const isText = (field: string) => PATHS.some((known) => known === field && FAILED_FIELDS[known] === "text");
  if (isText(first)) return 1;
  return isText(`${first}.${second}`) ? 2 : null;
}
