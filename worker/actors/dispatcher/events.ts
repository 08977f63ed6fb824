import type { Ack, HeartbeatRequest, JobResult, JobsResponse, LeaseRef } from "../../../schema/contract/agent.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Role } from "../../../schema/contract/people.ts";
import type { HeldCredentials } from "../../domain/credential/judge-told.ts";
import type { JobOrder, JobReport } from "../../domain/job-order.ts";
import type {
  AgentCaller,
  AgentSettings,
  HeartbeatAnswer,
  PollRequest,
  DispatcherRefusal,
  RegisterOrder,
  Registered,
} from "./rpc.ts";
import type { JobConnection } from "./rules/job-connection.ts";
import type { LiveJob } from "./state/live-job.ts";

/** What can happen to a dispatcher. */
export interface Events {
  registered: { caller: AgentCaller; order: RegisterOrder; /** Of its public key (RFC 7638). */ fingerprint: string };
  polled: { caller: AgentCaller; request: PollRequest };
  heartbeatReceived: { caller: AgentCaller; request: HeartbeatRequest };
  resultsReported: { caller: AgentCaller; results: readonly JobResult[] };
  wentOffline: { caller: AgentCaller };
  socketOpened: { caller: AgentCaller };
  /** The agent was heard through its socket until then (epoch ms). */
  socketClosed: { agentId: string; heardAt: number };
  agentConfigured: { settings: AgentSettings; /** Done only while the agent holds no jobs. */ onlyIdle: boolean };
  enqueued: { orders: readonly JobOrder[] };
  cancelRequested: { jobIds: readonly string[] };
  connectionEdited: { connectionId: string };
  /** What `jobs` are about was read from libSQL, for a poll that asked for it; null when libSQL did not answer. */
  connectionsRead: {
    poll: Events["polled"];
    jobs: readonly LiveJob[];
    snapshot: ConnectionSnapshot | null;
    /** Gives a new lease with each call. */
    leases(): string;
  };
  /** The same for all jobs that wait, and of connections that were edited. */
  waitingReviewed: { review: Review; snapshot: ConnectionSnapshot | null };
  /** Its run knows that a job is over, by the agent's result or by the dispatcher's own decision. */
  endReported: { live: LiveJob; end: JobEnd };
  /** Its run could not be told of the agent's result. */
  resultNotReported: { live: LiveJob };
  /** libSQL has recorded what an agent reported. */
  credentialsRecorded: { agentId: string; reported: HeldCredentials; recorded: CredentialDifference };
  heartbeatsNotRecorded: Record<never, never>;
  alarmFired: Record<never, never>;
}

export type EventType = keyof Events;
export type Event<T extends EventType = EventType> = { [K in T]: { readonly type: K } & Events[K] }[T];

/** What `step` gives back for those events that are answered. */
interface Answers {
  registered: Registered | DispatcherRefusal;
  /** The jobs whose connections are to be read; none when there is nothing to give. */
  polled: { jobs: LiveJob[]; cancelled: LeaseRef[] } | DispatcherRefusal;
  heartbeatReceived: HeartbeatAnswer | DispatcherRefusal;
  resultsReported: ResultVerdict[] | DispatcherRefusal;
  wentOffline: Record<string, never> | DispatcherRefusal;
  socketOpened: Record<string, never> | DispatcherRefusal;
  /** How many jobs kept it from being done; 0 when it is done. */
  agentConfigured: number;
  connectionsRead: { deliveries: Delivery[]; cancelled: JobsResponse["cancelled"] } | DispatcherRefusal;
}
export type Answer<T extends EventType> = T extends keyof Answers ? Answers[T] : void;

/** What must follow a step, once it is stored. */
export interface Effects {
  /** Agents that are told to poll through their wake sockets. */
  readonly wake: Set<string>;
  /** Agents whose wake socket is closed: another process is served now, or the agent's settings changed. */
  readonly closeSockets: Set<string>;
  /** The connections of jobs that wait are to be read. */
  review: Review | null;
  /** What libSQL is to record of heartbeats. */
  heartbeats: readonly { agentId: string; lastHeartbeatAt: number }[] | null;
  readonly warnings: { message: string; fields: Record<string, string | number> }[];
}

export interface Review {
  readonly jobs: readonly LiveJob[];
  /** Connections that were edited: it is judged again who can use what they hold for them. */
  readonly edited: readonly string[];
}

/** What libSQL says now of what jobs are about. */
export interface ConnectionSnapshot {
  readonly connections: ReadonlyMap<string, JobConnection>;
  /** The roles of people on whose behalf jobs run; those who were disabled or deleted are missing. */
  readonly roles: ReadonlyMap<string, Role>;
  /** By job; a job that another state of its credential has overtaken is missing. */
  readonly syncs: ReadonlyMap<string, CredentialSync>;
}

/** What a credentialSync job brings to an agent. It is read when the job is delivered, so that ciphertext has one place. */
export interface CredentialSync {
  readonly connection: { readonly id: string; readonly type: ConnectionType; readonly config: JsonObject };
  readonly params: { readonly state: "present" | "absent"; readonly version: number; readonly jwe?: string };
}

/** What is between an agent and what it should have. */
export interface CredentialDifference {
  /** Jobs that bring the agent what it lacks. */
  readonly orders: readonly JobOrder[];
  /** The connections whose credential it has for another target than the present one. */
  readonly unusable: readonly string[];
}

/** A job that goes to an agent with the answer to its poll. */
export interface Delivery {
  readonly live: LiveJob;
  readonly lease: string;
  readonly connection: JobConnection | null;
  readonly secretsConnection: JobConnection | null;
  readonly sync: CredentialSync | null;
}

export interface JobEnd {
  readonly report: JobReport;
  readonly lease: string | null;
  readonly by: "result" | "service";
}

/** What becomes of a result: it is answered at once, its run is told first, or it is recorded as stale. */
export type ResultVerdict = { readonly result: JobResult } & (
  | { readonly type: "answer"; readonly ack: Ack }
  | { readonly type: "report"; readonly live: LiveJob; readonly end: JobEnd; readonly isFirst: boolean }
  | { readonly type: "record"; readonly ack: "stale" | "unknown" }
);
