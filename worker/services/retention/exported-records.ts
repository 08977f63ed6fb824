import type { ExportedKind } from "../../../schema/contract/retention.ts";
import { findAuditEntries } from "../../store/audit.ts";
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

const EXECUTIONS_AT_ONCE = 5;

/** The records of a portion in the order of their ids; executions with those that their nodes started. */
export async function* readExported(
  deps: Deps,
  kind: ExportedKind,
  ids: readonly string[],
): AsyncGenerator<ExportedRecord, void> {
  switch (kind) {
    case "audit":
      for (const view of await toAuditViews(deps, await findAuditEntries(deps.db, ids))) {
        yield { id: view.id, at: Date.parse(view.at), value: view };
      }
      return;
    case "executions": {
      const all = await findTrees(deps.db, ids);
      for (let from = 0; from < all.length; from += EXECUTIONS_AT_ONCE) {
        const some = all.slice(from, from + EXECUTIONS_AT_ONCE);
        yield* await Promise.all(some.map((id) => readExecution(deps, id)));
      }
    }
  }
}

async function readExecution(deps: Deps, id: string): Promise<ExportedRecord> {
  const [execution, jobs] = await Promise.all([getExecution(deps, id), getJobsOfEnded(deps, id)]);
  return { id, at: Date.parse(execution.startedAt), value: { ...execution, jobs } };
}
