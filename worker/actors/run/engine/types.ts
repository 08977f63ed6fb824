import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { ExecutionStatus } from "../../../../schema/contract/execution.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { Suppressed } from "../../../../schema/contract/maintenance.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { TargetList } from "../../../../schema/contract/target-list.ts";
import type { Hold } from "../../../../schema/contract/hold.ts";
import type { ChildReport, Decision, ExecutionState } from "../../../domain/execution-state.ts";
import type { JobOrder, JobReport } from "../../../domain/job-order.ts";
import type { Reservation } from "../../../domain/limit/judge-limits.ts";

/** The events of an execution. */
export type RunEvent =
  | { type: "started" }
  /** It is recorded, and waits for the reason in `hold` to pass. */
  | {
      type: "held";
      hold: Hold;
      /** It takes the place of the older ones with its key. */ supersedes: boolean;
      suppressed?: Suppressed;
    }
  /** An execution whose turn has come may begin. */
  | { type: "admitted" }
  /** It ends without having begun. */
  | { type: "refused"; status: "cancelled" | "failed"; error: Failure; suppressed?: Suppressed }
  /** A newer execution takes its place. */
  | { type: "superseded"; by: string }
  | { type: "jobFinished"; report: JobReport }
  /** A person answered a node run that waits for approval. */
  | { type: "decided"; decision: Decision }
  /** A sub-workflow has ended. */
  | { type: "childEnded"; report: ChildReport }
  | { type: "cancelled"; by: string }
  /** Time has passed: everything due at `now` happens. */
  | { type: "woken" };

/** The effects of a step, published after its commit. Each may be published twice. */
export type RunEffect =
  | { type: "enqueueJob"; order: JobOrder }
  /** The job is ordered again under its id, as its stored record says after the commit (`Reroute`). */
  | { type: "reorderJob"; jobId: string }
  | { type: "cancelJob"; jobId: string }
  /** Like a cancel, unless an agent has the job. */
  | { type: "withdrawJob"; jobId: string }
  | { type: "startChild"; order: ChildOrder }
  | { type: "cancelChild"; executionId: string; workflowId: string; by: string }
  | { type: "supersedeChild"; executionId: string; workflowId: string; by: string }
  /** This held execution takes the place of the older ones with its key. */
  | { type: "supersedeOlder" }
  | { type: "executionEnded"; status: ExecutionStatus };

/** A sub-workflow to start. Its version was fixed when its node began. */
export interface ChildOrder {
  readonly executionId: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly variables: JsonObject;
  readonly nodeRunId: string;
  readonly startedAt: number;
}

/** The workflow that a node of type workflow starts. */
export interface ChildTarget {
  readonly versionId: string;
  /** Fills in the defaults of the workflow's inputs, or reports the problem of the variables. */
  resolve(variables: JsonObject): { ok: true; variables: JsonObject } | { ok: false; problem: string };
}

/** The part of a connection that a step needs: where its jobs go. */
export interface ConnectionRoute {
  readonly name: string;
  readonly type: ConnectionType;
  readonly enabled: boolean;
  /** Null for a connection to one host. */
  readonly targets: TargetList | null;
  /** Null when it has neither agent nor pool. */
  readonly poolObject: string | null;
  readonly pinnedAgentId: string | null;
}

/** A step's dependencies besides its arguments: new ids, and what was read before. */
export interface StepDeps {
  newId(kind: "nodeRun" | "job" | "execution"): string;
  /** The person who published the version; null when that is unknown or was no person. */
  readonly publishedBy: string | null;
  route(connectionId: string): ConnectionRoute | null;
  /** The published version of a workflow; null without one. */
  child(workflowId: string): ChildTarget | null;
  /** The trace context of a job; absent without traces. */
  traceparent?(jobId: string): string;
  /** Whether the limits allow the execution's first unsafe action; absent until a step wants it. */
  readonly reservation?: Reservation;
}

/** The result of a step. */
export interface StepResult {
  /** The same object that was passed in when the event changed nothing. */
  readonly state: ExecutionState;
  readonly effects: readonly RunEffect[];
  /** The step must be taken again with `StepDeps.reservation`: this result is not valid. */
  readonly wantsReservation?: boolean;
  readonly kept?: readonly KeptBy[];
}

/** What kept an action from being ordered: a limit, or a target that its connection does not allow. */
export type KeptBy = "limitReached" | "targetRefused:service";
