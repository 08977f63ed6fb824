import type { ExportedKind } from "../../../schema/contract/retention.ts";
import { findAuditEntries } from "../../store/audit.ts";
import { failureMessage, isUnavailable } from "../../store/errors.ts";
import { findTrees } from "../../store/removed-executions.ts";
import { toAuditViews } from "../audit/index.ts";
import type { Deps } from "../deps.ts";
import { getExecution } from "../executions/index.ts";
import { getJobsOfEnded } from "../jobs/index.ts";

export interface ExportedRecord {
  id: string;
  /** The start of an execution, the time of an entry (epoch ms). */
  at: number;
  /** As the API shows it: sensitive values are hidden. */
  value: object;
}

export interface UnreadRecord {
  id: string;
  problem: string;
}

/**
 * The records of a portion in the order of their ids; executions with those that their nodes started, one at a time:
 * each may have megabytes of outputs.
 */
export async function* readExported(
  deps: Deps,
  kind: ExportedKind,
  ids: readonly string[],
): AsyncGenerator<ExportedRecord | UnreadRecord, void> {
  switch (kind) {
    case "audit":
      for (const view of await toAuditViews(deps, await findAuditEntries(deps.db, ids))) {
        yield { id: view.id, at: Date.parse(view.at), value: view };
      }
      return;
    case "executions":
      for (const id of await findTrees(deps.db, ids)) yield await readExecution(deps, id);
  }
}

async function readExecution(deps: Deps, id: string): Promise<ExportedRecord | UnreadRecord> {
  try {
    const [execution, jobs] = await Promise.all([getExecution(deps, id), getJobsOfEnded(deps, id)]);
    return { id, at: Date.parse(execution.startedAt), value: { ...execution, jobs } };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return { id, problem: failureMessage(error) };
  }
}
