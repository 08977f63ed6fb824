import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { ExecutionStatus } from "../../../../schema/contract/execution.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { ChildReport, Decision } from "../../../domain/execution-state.ts";
import type { JobOrder, JobReport } from "../../../domain/job-order.ts";

/** What can happen to an execution. */
export type RunEvent =
  | { type: "started" }
  | { type: "jobFinished"; report: JobReport }
  /** A person answered a node run that waits for approval. */
  | { type: "decided"; decision: Decision }
  /** A sub-workflow has ended. */
  | { type: "childEnded"; report: ChildReport }
  | { type: "cancelled"; by: string }
  /** Time has passed: what is due at `now` happens. */
  | { type: "woken" };

/** What must happen after the step's commit. Each may be published twice. */
export type RunEffect =
  | { type: "enqueueJob"; order: JobOrder }
  /** Ordered again under its id, as its record says after the commit (`Reroute`). */
  | { type: "reorderJob"; jobId: string }
  | { type: "cancelJob"; jobId: string }
  | { type: "startChild"; order: ChildOrder }
  | { type: "cancelChild"; executionId: string; workflowId: string; by: string }
  | { type: "executionEnded"; status: ExecutionStatus };

/** A sub-workflow to start; the version was fixed when its node began. */
export interface ChildOrder {
  readonly executionId: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly variables: JsonObject;
  readonly nodeRunId: string;
  readonly startedAt: number;
}

/** A workflow as a node of type workflow needs it. */
export interface ChildTarget {
  readonly versionId: string;
  /** The variables with its inputs' defaults filled in, or what is wrong with them, in words. */
  resolve(variables: JsonObject): { ok: true; variables: JsonObject } | { ok: false; problem: string };
}

/** A connection as a step needs it: where its jobs go. Null where there is none of that id. */
export interface ConnectionRoute {
  readonly type: ConnectionType;
  readonly enabled: boolean;
  /** Null when it has neither agent nor pool. */
  readonly poolObject: string | null;
  readonly pinnedAgentId: string | null;
}

/** What a step may use beside its arguments: ids come in from outside. */
export interface StepDeps {
  newId(kind: "nodeRun" | "job" | "execution"): string;
  /** Who published the version; null when that is not known, or was no person. */
  readonly publishedBy: string | null;
  route(connectionId: string): ConnectionRoute | null;
  /** The published version of a workflow; null when there is none. */
  child(workflowId: string): ChildTarget | null;
}
