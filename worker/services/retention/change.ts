import { EXPORTED_KINDS, retentionPeriodsSchema } from "../../../schema/contract/retention.ts";
import type { Retention } from "../../../schema/contract/retention.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { choosePeriods } from "../../domain/retention.ts";
import { writeBatch } from "../../store/database.ts";
import { savePeriods } from "../../store/retention.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import type { Principal } from "../principal.ts";
import { forgetPortions } from "./export-first.ts";
import { readPeriods } from "./periods.ts";
import { readRetention } from "./read.ts";

/** Changes how long records are kept. The audit log has the changed periods, before and after. */
export async function setRetention(
  deps: Deps,
  { actor }: Principal,
  body: unknown,
  expected: ExpectedRevisions = null,
): Promise<Retention> {
  const periods = parseInput(retentionPeriodsSchema, body);
  await retryOnConflict("The retention", async () => {
    const before = await readPeriods(deps);
    requireRevision(expected, before.revision);
    const chosen = choosePeriods(before, periods, deps.now());
    const former = new Map(Object.entries(before.periods));
    const changed = Object.entries(periods).filter(([name, days]) => former.get(name) !== days);
    if (changed.length === 0) return chosen;
    const detail = changed.flatMap(([name, days]) => [
      [name, days],
      [`${name}Before`, former.get(name) ?? null],
    ]);
    await writeBatch(deps.db, [
      savePeriods(deps.db, chosen, before.revision),
      recordIfChanged(deps, {
        actor,
        verb: "change-retention",
        subjectType: "records",
        subjectId: "all",
        detail: Object.fromEntries(detail),
      }),
      ...forgetPortions(deps, EXPORTED_KINDS),
    ]);
    return chosen;
  });
  return readRetention(deps);
}
