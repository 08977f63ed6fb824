import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { failingWorkflow, failureWorkflow } from "../support/failure-workflows.ts";
import { call, errorPathsOf, pageOf, verb } from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

describe("the list of workflows", () => {
  test("has those that a workflow's failed runs start", async () => {
    const listed = async (id: string) => {
      const response = await call(bellhop, "GET", `/workflows?afterFailureOf=${id}`);
      return (await pageOf(response, workflowSchema)).items.map((one) => one.id);
    };
    const every = await failureWorkflow(bellhop);
    const tagged = await failureWorkflow(bellhop, { tags: ["shop"] });
    const stopped = await failureWorkflow(bellhop);
    await verb(bellhop, stopped, "deactivate");
    const shop = await failingWorkflow(bellhop, { tags: ["shop"] });
    const other = await failingWorkflow(bellhop, { tags: ["eu"] });
    expect(await listed(shop)).toEqual([tagged, every]);
    expect(await listed(other)).toEqual([every]);
    // A failure workflow starts no other one.
    expect(await listed(tagged)).toEqual([]);
    expect(await errorPathsOf(await call(bellhop, "GET", "/workflows?afterFailureOf=wf_gone"))).toEqual([
      "afterFailureOf",
    ]);
  });
});
