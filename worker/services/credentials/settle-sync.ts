import { judgeSyncEnd } from "../../domain/credential/judge-sync-end.ts";
import type { JobReport } from "../../domain/run-types.ts";
import { changeCredential, findCredentialOfJob } from "../../store/credentials.ts";
import type { CredentialRow } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import { endJobWithoutExecution } from "../../store/pool-jobs.ts";
import type { Deps } from "../deps.ts";

/** Records how a credentialSync job ended, and what that means for its credential. Safe to repeat. */
export async function settleSync(deps: Deps, report: JobReport): Promise<void> {
  const credential = await findCredentialOfJob(deps.db, report.jobId);
  const end = endJobWithoutExecution(deps.db, report);
  await writeBatch(deps.db, credential === null ? [end] : [end, changed(deps, credential, report)]);
}

function changed(deps: Deps, credential: CredentialRow, report: JobReport) {
  const updatedAt = deps.now();
  const end = judgeSyncEnd(credential.state, report);
  const gone = { jwe: null, jweExpiresAt: null, jobId: null, updatedAt };
  switch (end.type) {
    case "delivered":
      return changeCredential(deps.db, credential, { ...gone, status: "delivered", error: null });
    case "failed":
      return changeCredential(deps.db, credential, { ...gone, status: "failed", error: end.error });
    case "again":
      return changeCredential(deps.db, credential, { jobId: null, error: end.error, updatedAt });
  }
}
