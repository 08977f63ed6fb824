import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { createWorkflow } from "../support/management-api.ts";
import { DAY_MS, oldExecution, write } from "../support/old-records.ts";
import { S3_KEY, startS3 } from "../support/s3-server.ts";

describe.skipIf(NO_CHROMIUM !== null)("the export before deletion, in the console", () => {
  const s3 = startS3();
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole({
      bindings: {
        RETENTION_EXPORT_URL: s3.url,
        RETENTION_EXPORT_REGION: S3_KEY.region,
        RETENTION_EXPORT_ACCESS_KEY_ID: S3_KEY.accessKeyId,
        RETENTION_EXPORT_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
      },
    });
    const { id } = await createWorkflow(console.bellhop);
    const finishedAt = Date.now() - 100 * DAY_MS;
    await write(console.bellhop, oldExecution({ id: "exe_old", workflowId: id, finishedAt }));
  });
  afterAll(async () => {
    await console.stop();
    await s3.stop();
  });

  test("shows why records are not deleted, and later what was exported", async () => {
    s3.fault = () => ({ status: 403, code: "AccessDenied" });
    await console.bellhop.worker.tick();
    const page = await console.pageAs("viewer", { at: "/settings/retention", width: NARROW, dark: true });
    const alert = page.getByRole("alert").filter({ hasText: "Executions are not deleted" });
    await alert.getByText("The storage refused an object: 403 AccessDenied.").waitFor();
    await alert.getByText(/^Their export has been failing since /u).waitFor();
    await page.getByText("Audit entries are exported before they are deleted. None was exported yet.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);

    s3.fault = null;
    await write(console.bellhop, ["update retention_exports set failed_at = 0"]);
    await console.bellhop.worker.tick();
    const later = await console.pageAs("admin", { at: "/settings/retention" });
    await later.getByText(/^Executions are exported before they are deleted: 1 row \(.*\), last /u).waitFor();
    expect(await later.getByRole("alert").count()).toBe(0);
    expect([...s3.objects.keys()].map((key) => key.replace(/\d{4}\/\d\d\/\d\d/u, "<day>")).sort()).toEqual([
      "executions/<day>/exe_old.ndjson",
      "manifest/executions/<day>/exe_old.json",
    ]);
    expect(await axeProblems(later)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
