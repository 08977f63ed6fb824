import { z } from "zod";
import { jobEnvelopeSchema, jobSchema } from "../../schema/contract/agent.ts";
import type { Job, LeaseRef } from "../../schema/contract/agent.ts";
import { connectionTypeSchema } from "../../schema/contract/connection.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { unsupported } from "./unsupported.ts";
import type { Entry } from "../journal/state.ts";

/** What to do with one job of an answer (docs/design/agent-protocol.md#journal). */
export type Intake =
  | { do: "start"; job: Job }
  /** It cannot be read as a job, but it can be answered for. */
  | { do: "refuse"; ref: LeaseRef & { attempt: number }; failure: Failure }
  /** It is known: its result goes under this lease, which is newer or was answered for before. */
  | { do: "owe"; entry: Entry; lease: string }
  /** It is known under this very lease, and runs or its result is on its way. */
  | { do: "nothing" }
  /** It goes unreported: the service delivers it again, here or elsewhere. */
  | { do: "drop"; why: "nameless" | "no_room" | "too_late" };

export interface IntakeFacts {
  newestOf: (jobId: string) => Entry | undefined;
  byLease: (ref: LeaseRef) => Entry | undefined;
  /** How many more jobs may begin. */
  room: number;
  /** Milliseconds since the poll was sent. */
  elapsedMs: number;
}

/** As much of a job as tells whether its connection's type is one of a newer service. */
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
 * The work that this delivery is about, if it began here. A running job is that work under any lease. A finished one is
 * it up to the attempt that it was: a higher attempt is a retry that the workflow asked for, and runs.
 */
function knownEntry(ref: LeaseRef, attempt: number, readable: boolean, facts: IntakeFacts): Entry | undefined {
  const sameLease = facts.byLease(ref);
  if (sameLease !== undefined) return sameLease;
  const newest = facts.newestOf(ref.jobId);
  if (newest === undefined) return undefined;
  const isSameWork = newest.finished === null || !readable || attempt <= newest.attempt;
  return isSameWork ? newest : undefined;
}

/** Delivered again under a lease that began here: it never runs twice, but its answer may have been lost. */
function again(entry: Entry): Intake {
  return entry.acknowledgedAt === null ? { do: "nothing" } : { do: "owe", entry, lease: entry.lease };
}

/** Only a newer service knows further connection types. */
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
    message: `This agent cannot read the job, so it did not run (${problems.join("; ")}). Is the agent the newest version?`,
  };
}
