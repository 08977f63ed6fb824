import type { JournalRecord } from "../agent/journal/state.ts";
import type { Inflicted } from "./inflict.ts";
import type { NoticeFact } from "./notice-receiver.ts";
import type { ProcessName } from "./schedule.ts";
import type { ScriptRun } from "./script.ts";
import type { SentEvent } from "./senders.ts";
import type { KindName } from "./workflows.ts";

/** All records of a finished run, from every side that kept any. The checks read nothing else. */
export interface Evidence {
  /** The senders' events, with their answers. */
  events: SentEvent[];
  /** The state in libSQL. */
  executions: ExecutionFact[];
  nodeRuns: NodeRunFact[];
  jobs: JobFact[];
  lateResults: LateResultFact[];
  limitUses: LimitUseFact[];
  /** The lines that scripts wrote. */
  runs: ScriptRun[];
  /** The lines of the agents' own journals. */
  journals: AgentJournal[];
  /** The messages of notification rules, as their receiver got them; repetitions included. */
  notices: NoticeFact[];
  faults: Inflicted[];
  /** Ends of agents, the service and its database; `unexpected` when the run had not asked for the end. */
  programEnds: { program: ProcessName; at: number; code: number | null; unexpected: boolean }[];
  left: Leftovers;
}

/** Times are epoch milliseconds. */
export interface ExecutionFact {
  id: string;
  kind: KindName;
  /** The event's key at its sender; for a schedule, its minute. */
  key: string;
  /** The keys of the events that joined it after its own. */
  joined: string[];
  /** At most one execution with this key has begun at a time. */
  concurrencyKey: string | null;
  /** The maintenance window that held it last. */
  heldBy: string | null;
  status: string;
  error: string | null;
  startedAt: number;
  begunAt: number | null;
  finishedAt: number | null;
}

/** A run that counts for the limit of the load. */
export interface LimitUseFact {
  key: string;
  executionId: string;
  at: number;
}

export interface NodeRunFact {
  id: string;
  executionId: string;
  nodeId: string;
  iteration: string;
  status: string;
  errorCode: string | null;
  /** The token in its recorded output; null without one. */
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

/** Leftovers of a run. Each is a line for a person. */
export interface Leftovers {
  /** Why the run did not come to rest; empty when it did. */
  unrest: string[];
  /** Events that were accepted and not started. */
  inbox: string[];
  processes: string[];
  /** Places where a secret was found. */
  secrets: string[];
  /** Requests that reached the target without their credential, or the receiver of notices without a signature. */
  strangers: number;
}
