import { expect, test } from "bun:test";
import { NO_TIMES } from "../../worker/domain/job-order.ts";
import { countedOf } from "../../worker/store/step-record.ts";
import type { StepRecord } from "../../worker/store/step-record.ts";
import { stepRecord } from "../support/step-record.ts";

const first = stepRecord("exe_1");
const event = { triggerKey: "event", snapshot: {} };
const job = {
  jobId: "job_1",
  attempt: 1,
  status: "failed",
  output: null,
  agentId: "agt_1",
  times: NO_TIMES,
  lost: false,
} as const;
const endsBy = (code: string): Partial<StepRecord> => ({
  after: { ...first.after, status: "cancelled", error: { code, message: "It ended." } },
});

/** What `/metrics` counts of a step, besides the ends of executions and jobs. */
test.each<[what: string, change: Partial<StepRecord>, counts: Record<string, number>]>([
  ["a first step", {}, {}],
  ["a run that finds another one", endsBy("skipped_busy"), { skippedBusy: 1 }],
  ["a run whose place a newer one takes", endsBy("superseded"), { superseded: 1 }],
  [
    "an ended run that takes another step",
    { ...endsBy("superseded"), before: { ...first.after, status: "cancelled" } },
    {},
  ],
  ["a run that collects one event", { collects: [event] }, { batches: 1 }],
  ["a run that begins with three events", { collects: [event, event, event] }, { batches: 1, eventsJoined: 2 }],
  [
    "two items whose targets the service refuses, and a limit",
    { kept: ["targetRefused:service", "limitReached", "targetRefused:service"] },
    { "targetRefused:service": 2, limitReached: 1 },
  ],
  [
    "a job whose target the agent refuses",
    { endedJob: { ...job, error: { code: "target_not_allowed", message: "It is not in the list." } } },
    { "targetRefused:agent": 1 },
  ],
])("%s", (_what, change, counts) => {
  const sums: Record<string, number> = {};
  for (const [name, value] of countedOf({ ...first, ...change })) {
    if (value > 0 && !/^(?:executions|jobs):/u.test(name)) sums[name] = (sums[name] ?? 0) + value;
  }
  expect(sums).toEqual(counts);
});
