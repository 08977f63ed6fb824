import { readStatisticsQuerySchema } from "../../../schema/contract/statistics.ts";
import type { Statistics } from "../../../schema/contract/statistics.ts";
import { STATISTICS_EXECUTIONS_MAX, STATISTICS_JOBS_MAX } from "../../../schema/limits.ts";
import { summarize } from "../../domain/statistics/summary.ts";
import { statisticsWindow } from "../../domain/statistics/window.ts";
import { readBuckets } from "../../store/statistics.ts";
import type { Deps } from "../deps.ts";
import { firstIdAt } from "../ids.ts";
import { invalidInput, parseInput } from "../parse.ts";

/** How executions ended and how soon their jobs were dispatched, over a span of time and in its buckets. */
export async function readStatistics(deps: Deps, query: unknown): Promise<Statistics> {
  const { from, to, buckets: count } = parseInput(readStatisticsQuerySchema, query);
  const asked = { from: toMs(from), to: toMs(to), buckets: count };
  const window = statisticsWindow(asked, deps.now());
  if (!window.ok) throw invalidInput(window.errors);
  const figures = await readBuckets(
    deps.db,
    window.buckets.map((span) => ({
      startedFrom: span.from,
      startedTo: span.to,
      jobsFrom: firstIdAt("job", span.from),
      jobsTo: firstIdAt("job", span.to),
    })),
    {
      executions: Math.floor(STATISTICS_EXECUTIONS_MAX / count),
      jobs: Math.floor(STATISTICS_JOBS_MAX / count),
    },
  );
  return summarize(
    window.buckets.flatMap((span, index) => {
      const read = figures[index];
      return read === undefined ? [] : [{ span, figures: read }];
    }),
  );
}

function toMs(at: string | undefined): number | undefined {
  return at === undefined ? undefined : Date.parse(at);
}
