import type { Ack, HeartbeatRequest, JobResult, JobsResponse, LeaseRef } from "../../../schema/contract/agent.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Role } from "../../../schema/contract/people.ts";
import type { HeldCredentials } from "../../domain/credential/judge-reported.ts";
import type { ControlState } from "../../domain/control.ts";
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

/** The events of a dispatcher. */
export interface Events {
  registered: { caller: AgentCaller; order: RegisterOrder; /** Of the public key (RFC 7638). */ fingerprint: string };
  polled: { caller: AgentCaller; request: PollRequest };
  heartbeatReceived: { caller: AgentCaller; request: HeartbeatRequest };
  resultsReported: { caller: AgentCaller; results: readonly JobResult[] };
  wentOffline: { caller: AgentCaller };
  socketOpened: { caller: AgentCaller };
  /** `heardAt`: when the agent was last heard through the socket (epoch ms). */
  socketClosed: { agentId: string; heardAt: number };
  agentConfigured: { settings: AgentSettings; /** Only while the agent holds no jobs. */ onlyIdle: boolean };
  enqueued: { orders: readonly JobOrder[] };
  cancelRequested: { jobIds: readonly string[]; /** Delivered ones go on. */ only?: "waiting" | undefined };
  /** The control object was read, within the last PAUSE_FOLLOWED_WITHIN_MS. */
  controlRead: { control: ControlState };
  connectionEdited: { connectionId: string };
  /** libSQL was read for the `jobs` of a poll; `snapshot` is null when libSQL did not answer. */
  connectionsRead: {
    poll: Events["polled"];
    jobs: readonly LiveJob[];
    snapshot: ConnectionSnapshot | null;
    /** Gives a new lease with each call. */
    leases(): string;
  };
  /** libSQL was read for all waiting jobs and for the edited connections; null when libSQL did not answer. */
  waitingReviewed: { review: Review; snapshot: ConnectionSnapshot | null };
  /** The run has committed how a job ended, by the agent's result or by the dispatcher's own decision. */
  endReported: { live: LiveJob; end: JobEnd };
  /** The agent's result could not be reported to the run. */
  resultNotReported: { live: LiveJob };
  /** libSQL has recorded the credentials that an agent reported. */
  credentialsRecorded: { agentId: string; reported: HeldCredentials; recorded: CredentialDifference };
  heartbeatsNotRecorded: Record<never, never>;
  alarmFired: Record<never, never>;
}

export type EventType = keyof Events;
export type Event<T extends EventType = EventType> = { [K in T]: { readonly type: K } & Events[K] }[T];

/** The answers of those events that have one. */
interface Answers {
  registered: Registered | DispatcherRefusal;
  /** The jobs whose connections must be read; empty when there is nothing to deliver. */
  polled: { jobs: LiveJob[]; cancelled: LeaseRef[] } | DispatcherRefusal;
  heartbeatReceived: HeartbeatAnswer | DispatcherRefusal;
  resultsReported: ResultVerdict[] | DispatcherRefusal;
  wentOffline: Record<string, never> | DispatcherRefusal;
  socketOpened: Record<string, never> | DispatcherRefusal;
  /** The number of jobs that prevented the change; 0 when it is made. */
  agentConfigured: number;
  connectionsRead: { deliveries: Delivery[]; cancelled: JobsResponse["cancelled"] } | DispatcherRefusal;
}
export type Answer<T extends EventType> = T extends keyof Answers ? Answers[T] : void;

/** What the runtime does after a step, once the step is stored. */
export interface Effects {
  /** Agents to wake through their sockets, so that they poll. */
  readonly wake: Set<string>;
  /** Agents whose wake sockets close: another process has registered, or the agent's settings changed. */
  readonly closeSockets: Set<string>;
  /** Waiting jobs whose connections must be read; null for none. */
  review: Review | null;
  /** True when the control object must be read. */
  readControl: boolean;
  /** Heartbeats that libSQL is to record; null for none. */
  heartbeats: readonly { agentId: string; lastHeartbeatAt: number }[] | null;
  readonly warnings: { message: string; fields: Record<string, string | number> }[];
}

export interface Review {
  readonly jobs: readonly LiveJob[];
  /** Edited connections: the credentials that agents hold for them are compared with their targets again. */
  readonly edited: readonly string[];
}

/** The present records in libSQL about the connections of jobs. */
export interface ConnectionSnapshot {
  readonly connections: ReadonlyMap<string, JobConnection>;
  /** By person, for the people on whose behalf jobs run. Disabled and deleted people are missing. */
  readonly roles: ReadonlyMap<string, Role>;
  /** By job. A job that a newer state of its credential has superseded is missing. */
  readonly syncs: ReadonlyMap<string, CredentialSync>;
}

/** The content of a credentialSync job. It is read at delivery, so that ciphertext is stored in one place only. */
export interface CredentialSync {
  readonly connection: { readonly id: string; readonly type: ConnectionType; readonly config: JsonObject };
  readonly params: { readonly state: "present" | "absent"; readonly version: number; readonly jwe?: string };
}

/** How an agent's credentials differ from the wanted ones. */
export interface CredentialDifference {
  /** Jobs that bring the agent the missing changes. */
  readonly orders: readonly JobOrder[];
  /** Connections whose credential on the agent is for another target than the present one. */
  readonly unusable: readonly string[];
}

/** A job that the answer to a poll delivers. */
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

/** What to do with a result: answer immediately, report it to its run first, or record it as stale. */
export type ResultVerdict = { readonly result: JobResult } & (
  | { readonly type: "answer"; readonly ack: Ack }
  | { readonly type: "report"; readonly live: LiveJob; readonly end: JobEnd; readonly isFirst: boolean }
  | { readonly type: "record"; readonly ack: "stale" | "unknown" }
);
