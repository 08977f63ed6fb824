import { z } from "zod";
import { CONCURRENT_JOBS_MAX, POLL_AFTER_SECONDS_MAX, POLL_AFTER_SECONDS_MIN } from "../limits.ts";
import { effectSchema } from "./action.ts";
import { connectionTypeSchema } from "./connection.ts";
import { leaseSchema, opaqueIdSchema, timestampSchema } from "./ids.ts";
import { jsonObjectSchema } from "./json.ts";
import { failureSchema } from "./problem.ts";

/**
 * The messages between agent and service, under `/api/v1/agent` (docs/design/agent-protocol.md#versions). Both sides
 * ignore unknown fields, so that different versions can work together.
 */
export const AGENT_PROTOCOL = 1;
/** The versions that this service speaks; tests/wire/ has recorded requests of agents of each version. */
export const AGENT_PROTOCOLS: readonly number[] = [1];
export const AGENT_API_PATH = "/api/v1/agent";
export const SESSION_HEADER = "Bellhop-Session";
export const SESSION_MAX_CHARS = 1_024;
const ACTION_NAME_MAX_CHARS = 128;
const CAPACITY_MAX = 10_000;
const HELD_MAX = 10_000;
const TARGET_MAX_CHARS = 300;

/**
 * `bh<10 base62>_<43 base62>`: the part before the underscore finds the agent, the rest is the secret
 * (docs/design/http-api.md#keys).
 */
export const agentKeySchema = z
  .string()
  .regex(/^bh[A-Za-z0-9]{10}_[A-Za-z0-9]{43}$/u, "must have the form bh<10 characters>_<43 characters>");

/** `bhe_<43 base62>`: exchanged once for the key of an agent that never registered (docs/design/http-api.md#enrolment). */
export const enrolmentCodeSchema = z
  .string()
  .regex(/^bhe_[A-Za-z0-9]{43}$/u, "must have the form bhe_<43 characters>: copy the whole code");

/** Where the install script and the agent find the code: never among arguments, which other users can see. */
export const ENROLMENT_CODE_VARIABLE = "BELLHOP_ENROLMENT_CODE";

export const enrolRequestSchema = z.object({ code: enrolmentCodeSchema });
export const enrolResponseSchema = z.object({ apiKey: agentKeySchema });

export const publicKeySchema = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/u),
  y: z.string().regex(/^[A-Za-z0-9_-]{43}$/u),
});
export type PublicKey = z.infer<typeof publicKeySchema>;

/** Abilities of an agent beyond protocol 1. A job that needs one of them goes only to agents that have it. */
export const AGENT_FEATURES = [
  // Gives a script the names in the job's `values` as environment variables, on every connection type, and binds them
  // to SQL by name.
  "namedValues",
  // Uses a credential only for the target that it was sealed with or bound to on the agent's machine, and reports that
  // target's digest with every heartbeat.
  "boundCredentials",
  // Uses a credential whose target lists workflows only for jobs of these.
  "boundWorkflows",
  // Runs a job on the target that it names, and only when the list that is sealed with the credential allows it.
  "targets",
] as const;
export type AgentFeature = (typeof AGENT_FEATURES)[number];

/**
 * How a job is isolated from its agent: a separate account for each job (`perJob`), one account other than the agent's
 * (`account`), or not at all (`none`).
 */
export const isolationSchema = z.enum(["perJob", "account", "none"]);
export type Isolation = z.infer<typeof isolationSchema>;
export const ISOLATION_REASON_MAX_CHARS = 500;

export const registerRequestSchema = z.object({
  protocol: z.int().min(1),
  name: z.string().min(1).max(255),
  version: z.string().min(1).max(64),
  os: z.enum(["linux", "windows"]),
  arch: z.enum(["x64", "arm64"]),
  // Types that only a newer agent knows are of no use here, but no reason to refuse the agent.
  capabilities: z
    .array(z.string().max(64))
    .max(100)
    .transform((types) => types.filter((type) => connectionTypeSchema.safeParse(type).success)),
  /** Absent from agents that are older than the first feature. */
  features: z.array(z.string().max(64)).max(100).default([]),
  /** The actions that the agent can run. Absent from older agents, which have `PROTOCOL_1_ACTIONS`. */
  actions: z.array(z.string().max(ACTION_NAME_MAX_CHARS)).max(1_000).optional(),
  /** Absent from older agents, whose isolation is unknown. */
  isolation: isolationSchema.optional(),
  isolationReason: z.string().max(ISOLATION_REASON_MAX_CHARS).optional(),
  publicKey: publicKeySchema,
  maxConcurrentJobs: z.int().min(1).max(CONCURRENT_JOBS_MAX),
  pollIntervalSeconds: z.number().positive().max(3_600),
  instanceId: opaqueIdSchema,
  journalId: opaqueIdSchema,
});
export type RegisterRequest = z.infer<typeof registerRequestSchema>;

export const registerResponseSchema = z.object({
  agentId: opaqueIdSchema,
  poolId: z.string().max(255).nullable(),
  enabled: z.boolean(),
  session: z.string().min(1).max(SESSION_MAX_CHARS),
});
export type RegisterResponse = z.infer<typeof registerResponseSchema>;

/** `held` in bodies: a list of `jobId:lease`; in the query of GET /jobs the same entries, joined by commas. */
export const heldEntrySchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}:[^:,\s]{1,64}$/u, "must have the form jobId:lease");

export const jobKindSchema = z.enum(["action", "connectionTest", "credentialSync"]);
export type JobKind = z.infer<typeof jobKindSchema>;

/** The common part of all kinds of jobs: without an id and a lease, a job cannot even be reported. */
export const jobEnvelopeSchema = z.object({ id: opaqueIdSchema, lease: leaseSchema });

const jobConnectionSchema = z.object({
  id: opaqueIdSchema,
  type: connectionTypeSchema,
  config: jsonObjectSchema,
  /** The workflows for which the credential is sealed, as in its target; absent when it is for all. */
  workflows: z.array(opaqueIdSchema).optional(),
});

export const jobSchema = z.object({
  id: opaqueIdSchema,
  /** The job's execution, only for the agent's log; absent without an execution, and from older services. */
  executionId: opaqueIdSchema.optional(),
  /** The workflow of the job's node: a credential may be for certain workflows. Absent when `executionId` is. */
  workflowId: opaqueIdSchema.optional(),
  kind: jobKindSchema,
  lease: leaseSchema,
  action: z.string().max(ACTION_NAME_MAX_CHARS).nullable(),
  effect: effectSchema,
  connection: jobConnectionSchema.nullable(),
  /** The host that the job goes to, with a port if need be; only on a connection with `targets`. */
  target: z.string().max(TARGET_MAX_CHARS).optional(),
  /** The custom connection in `params.secretsFrom`; absent without one, and from older services. */
  secretsConnection: jobConnectionSchema.optional(),
  params: jsonObjectSchema,
  /**
   * Values that are sent apart from code, by name: environment variables, or for SQL the bound values
   * (`sql-values.ts`).
   */
  values: z.record(z.string(), z.string()).default({}),
  timeoutSeconds: z.number().positive(),
  startWithinSeconds: z.number().positive(),
  attempt: z.int().min(1),
  /**
   * The W3C trace context in which its programs run; absent without traces, and from older services. An invalid one
   * counts as absent: no job may fail because of its trace.
   */
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/u)
    .optional()
    .catch(undefined),
});
export type Job = z.infer<typeof jobSchema>;

/** The query of GET /jobs; `held` lists `jobId:lease`, joined by commas. */
export const jobsQuerySchema = z.object({
  capacity: z.coerce.number().int().min(0).max(CAPACITY_MAX),
  held: z
    .string()
    .default("")
    .transform((text) => text.split(",").filter((entry) => entry !== ""))
    .pipe(z.array(heldEntrySchema).max(HELD_MAX)),
});

export const leaseRefSchema = z.object({ jobId: opaqueIdSchema, lease: leaseSchema });
export type LeaseRef = z.infer<typeof leaseRefSchema>;

/**
 * The seconds after which an idle agent polls again unless it is woken; until then it sends a heartbeat only with news.
 * Only while the agent's wake socket is open. Absent from older services.
 */
export const pollAfterSecondsSchema = z.int().min(POLL_AFTER_SECONDS_MIN).max(POLL_AFTER_SECONDS_MAX);

/** The answer to a poll as the agent parses it: each job is parsed separately, so that one bad job spoils no other. */
export const jobsResponseSchema = z.object({
  jobs: z.array(z.unknown()),
  cancelled: z.array(leaseRefSchema),
  // An invalid value counts as absent: the agent then uses POLL_INTERVAL, which is always right.
  pollAfterSeconds: pollAfterSecondsSchema.optional().catch(undefined),
});
/** The same answer as the service makes it. */
export const jobsAnswerSchema = jobsResponseSchema.extend({
  jobs: z.array(jobSchema),
  pollAfterSeconds: pollAfterSecondsSchema.optional(),
});
export interface JobsResponse {
  jobs: Job[];
  cancelled: LeaseRef[];
  pollAfterSeconds?: number;
}

export const jobResultStatusSchema = z.enum(["succeeded", "failed", "timed_out", "cancelled", "interrupted"]);
export type JobResultStatus = z.infer<typeof jobResultStatusSchema>;

export const jobResultSchema = z.object({
  jobId: opaqueIdSchema,
  lease: leaseSchema,
  status: jobResultStatusSchema,
  output: jsonObjectSchema.nullable().default(null),
  error: failureSchema.nullish().transform((error) => error ?? null),
  startedAt: timestampSchema.nullable().default(null),
  finishedAt: timestampSchema,
});
export type JobResult = z.infer<typeof jobResultSchema>;

export const resultsRequestSchema = z.object({ results: z.array(jobResultSchema).min(1).max(1_000) });
export type ResultsRequest = z.infer<typeof resultsRequestSchema>;

/** Only after `retry` does a result stay in the agent's journal (docs/design/agent-protocol.md#acks). */
export const ackSchema = z.enum(["accepted", "duplicate", "stale", "unknown", "retry"]);
export type Ack = z.infer<typeof ackSchema>;
export const resultsResponseSchema = z.object({ acks: z.array(leaseRefSchema.extend({ ack: ackSchema })) });
export type ResultsResponse = z.infer<typeof resultsResponseSchema>;

export const heartbeatRequestSchema = z.object({
  held: z.array(heldEntrySchema).max(HELD_MAX),
  load: z.number().min(0),
  /**
   * The agent shuts down and takes no further jobs. `held` then lists all its jobs; any other job that it was given
   * never began. Sent with every heartbeat until its process ends. Absent from older agents.
   */
  draining: z.boolean().optional(),
  version: z.string().min(1).max(64),
  credentials: z
    .array(
      z.object({
        connectionId: opaqueIdSchema,
        version: z.int().min(0),
        /** SHA-256 of the target's canonical text, base64url; null without a target. Absent from older agents. */
        target: z.string().max(64).nullable().optional(),
        /** When the credential was last delivered, set or bound, by the agent's clock. Absent from older agents. */
        changedAt: z.iso.datetime().max(64).optional(),
      }),
    )
    .max(10_000)
    .default([]),
});
export type HeartbeatRequest = z.infer<typeof heartbeatRequestSchema>;

export const heartbeatResponseSchema = z.object({ enabled: z.boolean(), cancelled: z.array(leaseRefSchema) });
export type HeartbeatResponse = z.infer<typeof heartbeatResponseSchema>;

export const offlineRequestSchema = z.object({ held: z.array(heldEntrySchema).max(HELD_MAX).default([]) });
export type OfflineRequest = z.infer<typeof offlineRequestSchema>;
export const offlineResponseSchema = z.object({});

/** One check in the agent's answer to a connection test. */
export const connectionCheckSchema = z.object({ name: z.string(), ok: z.boolean(), detail: z.string() });

/** `jobId:lease`, the one format of a held lease. */
export function formatHeld(ref: LeaseRef): string {
  return `${ref.jobId}:${ref.lease}`;
}

/** Parses the output of `formatHeld`; the caller has checked the format. */
export function parseHeld(entry: string): LeaseRef {
  const colon = entry.indexOf(":");
  return { jobId: entry.slice(0, colon), lease: entry.slice(colon + 1) };
}
