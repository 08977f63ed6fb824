import type { Metric } from "../../../schema/contract/exposition.ts";
import type { NoticeCount } from "../ports.ts";

/** How many messages notification rules have sent. */
export function noticeMetrics(counts: readonly NoticeCount[]): Metric[] {
  return [
    {
      name: "bellhop_notices_total",
      type: "counter",
      help: "Messages of notification rules to a receiver, by event and result: sent, or failed for good.",
      samples: counts.map(({ on, result, n }) => ({ labels: { on, result }, value: n })),
    },
  ];
}
