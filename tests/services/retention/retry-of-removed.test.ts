import { afterAll, beforeAll, expect, test } from "bun:test";
import { isConflict } from "../../../worker/store/errors.ts";
import { saveStep } from "../../../worker/store/executions.ts";
import { removeExecutions } from "../../../worker/store/removed-executions.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { oldExecution, write } from "../../support/old-records.ts";
import { stepRecord } from "../../support/step-record.ts";
import { testDeps } from "../../support/test-deps.ts";

let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

test("a retry whose original is removed between its read and its first step does not begin with a part of it", async () => {
  const { db } = testDeps(service.libsql.url);
  await write(
    service,
    ["exe_kept", "exe_removed"].flatMap((id) => oldExecution({ id, workflowId: "wf_1", finishedAt: 1 })),
  );
  await removeExecutions(db, ["exe_removed"], 1);
  const retryOf = async (of: string) => {
    const record = stepRecord(`exe_retry-${of}`);
    await saveStep(db, { ...record, meta: { ...record.meta, retryOf: of } });
  };
  await retryOf("exe_kept");
  expect(isConflict(await retryOf("exe_removed").catch((error: unknown) => error))).toBe(true);
  const retries = await query(service, "select retry_of from executions where retry_of is not null");
  expect(retries.map((row) => row["retry_of"])).toEqual(["exe_kept"]);
});
