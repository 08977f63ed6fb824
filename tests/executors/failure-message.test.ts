import { expect, test } from "bun:test";
import { quotedWithin } from "../../agent/executors/shared/quoted.ts";
import { action, ExecutorFailure } from "../../agent/executors/shared/failures.ts";
import { Masker } from "../../agent/jobs/masker.ts";
import { toResult } from "../../agent/jobs/outcome.ts";
import { formsOf } from "../../agent/mask-forms.ts";
import { contextOf } from "../support/executor-context.ts";

const SECRET = "correct-horse-battery-staple";
const forms = [...formsOf(SECRET)];

/** The message of a failed action as the agent reports it. */
async function reported(message: string): Promise<string> {
  const run = action(() => Promise.reject(new ExecutorFailure("query_failed", message)));
  const masker = new Masker();
  masker.setForms(forms);
  const outcome = await run(contextOf("custom", {}, "/nowhere"));
  const job = { id: "job_1", lease: "lease-1", timeoutSeconds: 30 };
  return toResult({ job, outcome, stop: null, startedAt: 0, finishedAt: 0 }, masker).error?.message ?? "";
}

test.each([3_972, 3_980, 3_990, 3_999])("a secret at character %p of a long message is masked", async (at) => {
  const message = await reported(`${"x".repeat(at)}${SECRET}${"y".repeat(5_000)}`);
  expect(message).toStartWith(`${"x".repeat(at)}*`);
  expect(message).not.toContain(SECRET.slice(0, 4));
  expect(message).toHaveLength(4_000);
});

test.each([472, 480, 490, 499])("a secret at character %p of a database's error is masked whole", (at) => {
  const said = quotedWithin(`${"x".repeat(at)}${SECRET}${"y".repeat(500)}`, forms);
  expect(said.replace(SECRET, "")).not.toContain(SECRET.slice(0, 4));
  expect(said).toStartWith("x".repeat(at));
});

test("a database's error is on one line without its final period", () => {
  expect(quotedWithin(" Table  'a'\n does not exist. \n", [])).toBe("Table 'a' does not exist");
  expect(quotedWithin("z".repeat(501), [])).toBe(`${"z".repeat(500)}…`);
});
