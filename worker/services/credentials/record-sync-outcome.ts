import { judgeSyncEnd } from "../../domain/credential/judge-sync-end.ts";
import type { JobReport } from "../../domain/job-order.ts";
import { acknowledgeCredential, changeCredential, findCredentialOfJob } from "../../store/credentials.ts";
import type { CredentialRecord } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import { endJobWithoutExecution } from "../../store/pool-jobs.ts";
import type { Deps } from "../deps.ts";

/** Records the end of a credentialSync job, and its consequence for the credential. Safe to repeat. */
export async function recordSyncOutcome(deps: Deps, report: JobReport): Promise<void> {
  const credential = await findCredentialOfJob(deps.db, report.jobId);
  const end = endJobWithoutExecution(deps.db, report);
  await writeBatch(deps.db, credential === null ? [end] : [end, changed(deps, credential, report)]);
}

function changed(deps: Deps, credential: CredentialRecord, report: JobReport) {
  const updatedAt = deps.now();
  const end = judgeSyncEnd(credential, report);
  const gone = { jwe: null, jweExpiresAt: null, jobId: null, updatedAt };
  switch (end.type) {
    case "delivered":
      return acknowledgeCredential(deps.db, credential, updatedAt);
    case "failed":
      return changeCredential(deps.db, credential, {
        ...gone,
        status: "failed",
        error: refused(credential.version, end.error),
      });
    case "outrun":
      return changeCredential(deps.db, credential, { ...gone, ...outrun(credential.state, end) });
    case "again":
      return changeCredential(deps.db, credential, { jobId: null, error: end.error, updatedAt });
  }
}

/** The next delivery must be newer than the agent's version, and so must a withdrawal, which is then ordered again. */
function outrun(state: "present" | "absent", { version, holds }: { version: number; holds: boolean }) {
  if (state === "absent") return { version: version + 1, status: "pending" as const, error: null };
  const error = holds
    ? `The agent keeps a newer version (${version}) than the delivered one. Deliver the credential again.`
    : `Version ${version} was withdrawn from the agent before, so the agent refused the delivery. Deliver the credential again.`;
  return { version, status: "failed" as const, error };
}

function refused(version: number, said: string): string {
  const earlier = version > 1 ? " The agent keeps an earlier version, if it has one." : "";
  return `Version ${version} was refused. ${said}${earlier}`;
}
