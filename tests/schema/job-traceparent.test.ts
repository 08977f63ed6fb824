import { expect, test } from "bun:test";
import { jobSchema } from "../../schema/contract/agent.ts";

const JOB = {
  id: "job_1",
  kind: "action",
  lease: "lease-1",
  action: "script.bash",
  effect: "unsafe",
  connection: null,
  params: {},
  timeoutSeconds: 60,
  startWithinSeconds: 60,
  attempt: 1,
};
const RIGHT = "00-01987a3b1c2d7e4f8a5b0123456789ab-8a5b0123456789ab-01";

test.each([
  [RIGHT, RIGHT],
  [undefined, undefined],
  ["", undefined],
  [7, undefined],
  [null, undefined],
  [`${RIGHT}\nPATH=/tmp`, undefined],
  [RIGHT.toUpperCase(), undefined],
  [`01${RIGHT.slice(2)}`, undefined],
])("a job with the trace context %j has %j, and is never refused for it", (given, expected) => {
  expect(jobSchema.parse({ ...JOB, traceparent: given }).traceparent).toBe(expected);
});
