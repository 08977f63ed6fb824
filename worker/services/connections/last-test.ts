import { isTerminalJob } from "../../../schema/contract/execution.ts";
import type { LastTest, LastTestAnswer } from "../../../schema/contract/management.ts";
import type { AuditVerb } from "../../../schema/contract/audit-labels.ts";
import { listAudit } from "../../store/audit.ts";
import type { AuditRow } from "../../store/audit.ts";
import { findConnection } from "../../store/connections.ts";
import { findJob } from "../../store/job-reads.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { outcomeOfTest } from "./outcome-of-test.ts";

/** Further entries of the audit log are older than what a person wants to know of a test. */
const ENTRIES_LOOKED_AT = 100;
/** Each changes the connection or its credential. */
const CHANGES: ReadonlySet<string> = new Set<AuditVerb>([
  "update",
  "deliver-credential",
  "withdraw-credential",
  "credential-changed",
]);

/**
 * The newest test of a connection that has ended. The audit log has who tested and which job did it, and every later
 * change; the job has the outcome.
 */
export async function getLastTest(deps: Deps, id: string): Promise<LastTestAnswer> {
  const connection = await findConnection(deps.db, id);
  if (connection === null) throw notFound("connection", id);
  const entries = await listAudit(
    deps.db,
    {
      actor: undefined,
      verb: undefined,
      subjectType: "connection",
      subjectId: id,
      from: undefined,
      to: undefined,
    },
    { beforeId: null, limit: ENTRIES_LOOKED_AT },
  );
  for (const [index, entry] of entries.entries()) {
    const outcome = entry.verb === "test" ? await outcomeOf(deps, entry) : null;
    if (outcome === null) continue;
    const isBeforeChange = entries.slice(0, index).some(({ verb }) => CHANGES.has(verb));
    return { lastTest: { ...outcome, by: entry.actor, isBeforeChange } };
  }
  return { lastTest: null };
}

/** Null for a test that still runs. */
async function outcomeOf(
  deps: Deps,
  { at, detail: { jobId, ok } }: AuditRow,
): Promise<Omit<LastTest, "by" | "isBeforeChange"> | null> {
  // The service itself tested, at once.
  if (typeof ok === "boolean") return { ok, latencyMs: 0, testedAt: new Date(at).toISOString(), checks: [] };
  const job = typeof jobId === "string" ? await findJob(deps.db, jobId) : null;
  return job === null || !isTerminalJob(job.status) ? null : outcomeOfTest(deps, job);
}
