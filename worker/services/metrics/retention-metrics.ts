import { single } from "../../../schema/contract/exposition.ts";
import type { Metric } from "../../../schema/contract/exposition.ts";
import { findKinds, findProgress } from "../../store/retention.ts";
import { readEnds } from "../../store/retention-figures.ts";
import type { Deps } from "../deps.ts";
import { oldestTime, readExports } from "../retention/index.ts";

/** How many old records were deleted, and how old the oldest ones are. */
export async function retentionMetrics(deps: Deps, now: number): Promise<Metric[]> {
  const [kinds, progress, ends, exports] = await Promise.all([
    findKinds(deps.db),
    findProgress(deps.db),
    readEnds(deps.db),
    readExports(deps),
  ]);
  const deleted = new Map(kinds.map((row) => [row.kind, row.deleted]));
  return [
    {
      name: "bellhop_retention_deleted_total",
      type: "counter",
      help: "Records that were deleted because of their age or with their workflow, by kind.",
      samples: ends.map(({ kind }) => ({ labels: { kind }, value: deleted.get(kind) ?? 0 })),
    },
    {
      name: "bellhop_retention_oldest_age_seconds",
      type: "gauge",
      help: "Age of the oldest record, by kind; 0 without records.",
      samples: ends.map(({ kind, oldest }) => ({
        labels: { kind },
        value: Math.max(0, now - (oldestTime(kind, oldest) ?? now)) / 1_000,
      })),
    },
    {
      name: "bellhop_retention_pass_seconds",
      type: "gauge",
      help: "Duration of the last pass that deleted records; 0 before the first.",
      samples: single((progress.passMs ?? 0) / 1_000),
    },
    {
      name: "bellhop_retention_exported_total",
      type: "counter",
      help: "Records that were exported before their deletion, by kind; none when no export is set up.",
      samples: (exports ?? []).map(({ kind, rows }) => ({ labels: { kind }, value: rows })),
    },
    {
      name: "bellhop_retention_export_failing_seconds",
      type: "gauge",
      help: "Time since the export of a kind began to fail, and its deletion paused; 0 while it works.",
      samples: (exports ?? []).map(({ kind, failure }) => ({
        labels: { kind },
        value: failure === null ? 0 : Math.max(0, now - Date.parse(failure.since)) / 1_000,
      })),
    },
  ];
}
