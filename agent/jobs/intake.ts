import { z } from "zod";
import { jobEnvelopeSchema, jobSchema } from "../../schema/contract/agent.ts";
import type { Job, LeaseRef } from "../../schema/contract/agent.ts";
import { connectionTypeSchema } from "../../schema/contract/connection.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { unsupported } from "./unsupported.ts";
import type { Entry } from "../journal/state.ts";

/** What to do with one job of an answer (docs/design/agent-protocol.md#taking-a-job). */
export type Intake =
  | { do: "start"; job: Job }
  /** It is no valid job, but its id and lease can be reported as failed. */
  | { do: "refuse"; ref: LeaseRef & { attempt: number }; failure: Failure }
  /** The job is known. Its result goes under this lease: a newer one, or one whose result the service has lost. */
  | { do: "owe"; entry: Entry; lease: string }
  /** The job is known under this lease, and runs, or its result is on its way. */
  | { do: "nothing" }
  /** Not reported: the service delivers the job again, here or elsewhere. */
  | { do: "drop"; why: "nameless" | "no_room" | "too_late" };

export interface IntakeFacts {
  newestOf: (jobId: string) => Entry | undefined;
  byLease: (ref: LeaseRef) => Entry | undefined;
  /** How many more jobs may begin. */
  room: number;
  /** Milliseconds since the poll was sent. */
  elapsedMs: number;
}

/** The fields that show whether the type of its connection is new. */
const namesSchema = z.object({
  action: jobSchema.shape.action,
  connection: z.object({ type: z.string().regex(/^[A-Za-z0-9]{1,64}$/u) }),
});

export function takeIn(raw: unknown, facts: IntakeFacts): Intake {
  const envelope = jobEnvelopeSchema.safeParse(raw);
  if (!envelope.success) return { do: "drop", why: "nameless" };
  const ref: LeaseRef = { jobId: envelope.data.id, lease: envelope.data.lease };
  const job = jobSchema.safeParse(raw);
  const attempt = job.success ? job.data.attempt : 1;

  const known = knownEntry(ref, attempt, job.success, facts);
  if (known !== undefined)
    return known.lease === ref.lease ? again(known) : { do: "owe", entry: known, lease: ref.lease };

  if (facts.room <= 0) return { do: "drop", why: "no_room" };
  if (!job.success)
    return { do: "refuse", ref: { ...ref, attempt }, failure: unknownType(raw) ?? unreadable(job.error.issues) };
  if (facts.elapsedMs > job.data.startWithinSeconds * 1_000) return { do: "drop", why: "too_late" };
  return { do: "start", job: job.data };
}

/**
 * The entry of the same work, if it began here. A running job is the same work under any lease. A finished job is the
 * same work up to its attempt: a higher attempt is a retry by the workflow, and runs.
 */
function knownEntry(ref: LeaseRef, attempt: number, readable: boolean, facts: IntakeFacts): Entry | undefined {
  const sameLease = facts.byLease(ref);
  if (sameLease !== undefined) return sameLease;
  const newest = facts.newestOf(ref.jobId);
  if (newest === undefined) return undefined;
  const isSameWork = newest.finished === null || !readable || attempt <= newest.attempt;
  return isSameWork ? newest : undefined;
}

/**
 * Delivered again under a lease that began here. The job never runs twice. An acknowledged result is sent again,
 * because the service may have lost it.
 */
function again(entry: Entry): Intake {
  return entry.acknowledgedAt === null ? { do: "nothing" } : { do: "owe", entry, lease: entry.lease };
}

/** A type that this agent does not know comes from a newer service. */
function unknownType(raw: unknown): Failure | null {
  const { action, connection } = namesSchema.safeParse(raw).data ?? {};
  const type = connection?.type;
  if (type === undefined || connectionTypeSchema.safeParse(type).success) return null;
  return unsupported(action ?? "a connection test", type);
}

function unreadable(issues: readonly { path: readonly PropertyKey[]; message: string }[]): Failure {
  const problems = issues.slice(0, 5).map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  return {
    code: "invalid_job",
    message: `This agent cannot read the job, so it did not run (${problems.join("; ")}). Update the agent, if it is older than the service.`,
  };
}
