import type { IdKind } from "../../../schema/contract/ids.ts";
import type { RetainedKind } from "../../../schema/contract/retention.ts";
import { mintedAt } from "../ids.ts";

/** The kinds whose oldest row is found by its id. */
const ID_KINDS: Partial<Record<RetainedKind, IdKind>> = {
  executions: "execution",
  incidents: "incident",
  audit: "audit",
};

/** When the oldest row of a kind began (epoch ms), from its id or its time; null without rows. */
export function oldestTime(kind: RetainedKind, oldest: string | number | null): number | null {
  if (typeof oldest === "number" || oldest === null) return oldest;
  const idKind = ID_KINDS[kind];
  return idKind === undefined ? null : mintedAt(idKind, oldest);
}
