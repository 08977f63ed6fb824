import "../support/quiet-log.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { retentionSchema } from "../../schema/contract/retention.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { ExportDirectory } from "../support/export-directory.ts";
import { call, createWorkflow, dataOf } from "../support/management-api.ts";
import { DAY_MS, oldExecution, write } from "../support/old-records.ts";
import { manifestOf } from "../support/record-export.ts";

let bellhop: Bellhop;
let exports: ExportDirectory;
beforeAll(async () => {
  exports = await ExportDirectory.make();
  bellhop = await startBellhop({
    bindings: { RETENTION_EXPORT_DIRECTORY: exports.directory },
    exportSocket: exports.socket,
  });
});
afterAll(async () => {
  await bellhop.stop();
  await exports.remove();
});

test("the Worker in workerd starts without the socket, and deletes records once they are in the directory", async () => {
  const { id } = await createWorkflow(bellhop);
  await write(bellhop, oldExecution({ id: "exe_old", workflowId: id, finishedAt: Date.now() - 100 * DAY_MS }));
  // Because of the missing socket, workerd reports an exception after the tick has done all its work.
  await bellhop.worker.tick().catch(() => {});
  expect((await failures())[0]).toStartWith("The process that writes to the export directory cannot be reached.");
  expect(await query(bellhop, "select id from executions")).toHaveLength(1);

  await exports.start();
  await write(bellhop, ["update retention_exports set failed_at = 0"]);
  await bellhop.worker.tick();
  expect(await failures()).toEqual([]);
  expect(manifestOf(await exports.files(), "executions")).toMatchObject([{ id: "exe_old" }]);
  expect(await query(bellhop, "select id from executions")).toEqual([]);
});

async function failures(): Promise<string[]> {
  const { exports: kinds } = await dataOf(await call(bellhop, "GET", "/retention"), 200, retentionSchema);
  return (kinds ?? []).flatMap(({ failure }) => (failure === null ? [] : [failure.error]));
}
