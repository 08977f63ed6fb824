import type { Effect } from "../../../schema/contract/action.ts";
import type { ExecutionStatus, JobStatus, LostAssignment, NodeRunStatus } from "../../../schema/contract/execution.ts";
import type { JobTimes } from "../job-order.ts";

/** What a trace shows of an ended execution. It has no value of the run: no parameter, output or message. */
export interface EndedExecution {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly versionId: string;
  readonly status: ExecutionStatus;
  readonly trigger: string;
  /** The outermost execution, itself or above. */
  readonly rootId: string;
  readonly parentNodeRunId: string | null;
  /** The execution that it repeats, and the failed one that started it; null without one, or when it is deleted. */
  readonly repeats: EarlierExecution | null;
  readonly follows: EarlierExecution | null;
  readonly startedAt: number;
  readonly begunAt: number | null;
  readonly finishedAt: number;
  readonly errorCode: string | null;
  /** What a maintenance window did with it; null when none kept it from beginning. */
  readonly suppressedAs: string | null;
  readonly nodeRuns: readonly EndedNodeRun[];
  readonly jobs: readonly EndedJob[];
  /** Whether it has more node runs or jobs than these. */
  readonly isCut: boolean;
}

export interface EarlierExecution {
  readonly id: string;
  readonly rootId: string;
}

export interface EndedNodeRun {
  readonly id: string;
  readonly nodeId: string;
  readonly path: readonly number[];
  readonly status: NodeRunStatus;
  readonly outcome: string | null;
  readonly attempt: number;
  readonly jobId: string | null;
  readonly childExecutionId: string | null;
  readonly errorCode: string | null;
  readonly queuedAt: number | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

export interface EndedJob {
  readonly id: string;
  readonly nodeRunId: string;
  readonly action: string | null;
  readonly effect: Effect;
  readonly connectionId: string | null;
  readonly poolObject: string;
  readonly agentId: string | null;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly errorCode: string | null;
  readonly lost: readonly LostAssignment[];
  readonly times: JobTimes;
}
