import type { JournalRecord } from "../agent/journal/state.ts";
import type { Inflicted } from "./inflict.ts";
import type { ProcessName } from "./schedule.ts";
import type { ScriptRun } from "./script.ts";
import type { SentEvent } from "./senders.ts";
import type { KindName } from "./workflows.ts";

/** Everything that is known of a run when it is over, from every side that kept a record. The checks read nothing else. */
export interface Evidence {
  /** What senders sent, and how they were answered. */
  events: SentEvent[];
  /** What libSQL holds. */
  executions: ExecutionFact[];
  nodeRuns: NodeRunFact[];
  jobs: JobFact[];
  lateResults: LateResultFact[];
  /** What scripts wrote themselves. */
  runs: ScriptRun[];
  /** What agents wrote into their own journals. */
  journals: AgentJournal[];
  faults: Inflicted[];
  /** Of agents, the service and its database; `unexpected` when nobody had asked for it. */
  programEnds: { program: ProcessName; at: number; code: number | null; unexpected: boolean }[];
  left: Leftovers;
}

/** Times are epoch milliseconds. */
export interface ExecutionFact {
  id: string;
  kind: KindName;
  /** Of its event: what senders call it, or for a schedule its minute. */
  key: string;
  status: string;
  error: string | null;
  startedAt: number;
  finishedAt: number | null;
}

export interface NodeRunFact {
  id: string;
  executionId: string;
  nodeId: string;
  iteration: string;
  status: string;
  errorCode: string | null;
  /** What its recorded output says that ran; null when it says nothing. */
  token: string | null;
}

export interface JobFact {
  id: string;
  executionId: string | null;
  nodeRunId: string | null;
  action: string | null;
  effect: string;
  status: string;
  agentId: string | null;
  attempt: number;
  errorCode: string | null;
  queuedAt: number;
  deliveredAt: number | null;
  finishedAt: number | null;
}

export interface LateResultFact {
  jobId: string;
  lease: string;
  agentId: string;
  status: string;
  receivedAt: number;
}

export interface AgentJournal {
  agent: string;
  agentId: string;
  records: JournalRecord[];
}

/** What should not be there any more. Each is a line for a person. */
export interface Leftovers {
  /** Why the run did not become quiet; empty when it did. */
  unrest: string[];
  /** Accepted events that were not started. */
  inbox: string[];
  processes: string[];
  /** Where a secret was found. */
  secrets: string[];
  /** Requests that the target saw without their credential. */
  strangers: number;
}
