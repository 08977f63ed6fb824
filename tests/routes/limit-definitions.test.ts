import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { limitGroupSchema } from "../../schema/contract/limit-group.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, errorPathsOf, verb } from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const send = (method: string, path: string, body?: unknown) => call(bellhop, method, path, body);
async function group() {
  const body = { name: crypto.randomUUID(), maxRuns: 2, periodSeconds: 3_600, whenReached: "end" };
  return dataOf(await send("POST", "/limits", body), 201, limitGroupSchema);
}

describe("a limit", () => {
  test("is saved with a warning while no published workflow names it", async () => {
    const { warnings, ...limit } = await group();
    expect(warnings).toMatchObject([{ path: "" }]);
    const { name, maxRuns, periodSeconds, whenReached } = limit;
    const put = async () => {
      const response = await send("PUT", `/limits/${limit.id}`, { name, maxRuns, periodSeconds, whenReached });
      return (await dataOf(response, 200, limitGroupSchema)).warnings;
    };
    expect(await put()).toHaveLength(1);
    const definition = { ...DELAY_DEFINITION, limits: [{ groupId: limit.id }] };
    const { id } = await createWorkflow(bellhop, { definition });
    expect(await put()).toHaveLength(1);
    await verb(bellhop, id, "publish");
    expect(await put()).toEqual([]);
  });
});

describe("a workflow's limits", () => {
  const inputs = { service: { type: "string" }, password: { type: "string", sensitive: true } };
  const body = (limits: unknown) => ({
    name: "limited",
    trigger: { type: "manual", inputs },
    definition: { nodes: [{ id: "n0", type: "delay", seconds: 1 }], edges: [], limits },
  });

  test.each<[string, (id: string) => unknown, string[]]>([
    ["no list", () => ({}), ["definition.limits"]],
    ["an unknown group", () => [{ groupId: "lim_none" }], ["definition.limits.0.groupId"]],
    ["no group", () => [{ key: "a" }], ["definition.limits.0.groupId"]],
    ["a group twice", (id) => [{ groupId: id }, { groupId: id, key: "a" }], ["definition.limits.1.groupId"]],
    ["an empty key", (id) => [{ groupId: id, key: "" }], ["definition.limits.0.key"]],
    ["a key of a step", (id) => [{ groupId: id, key: "{{nodes.n0.output}}" }], ["definition.limits.0.key"]],
    ["a sensitive key", (id) => [{ groupId: id, key: "{{inputs.password}}" }], ["definition.limits.0.key"]],
    ["an unknown name", (id) => [{ groupId: id, key: "{{inputs.host}}" }], ["definition.limits.0.key"]],
    ["an open template", (id) => [{ groupId: id, key: "{{inputs.service" }], ["definition.limits.0.key"]],
    ["another field", (id) => [{ groupId: id, maxRuns: 1 }], ["definition.limits.0.maxRuns"]],
    ["six entries", (id) => Array.from({ length: 6 }, () => ({ groupId: id })), ["definition.limits"]],
  ])("with %s are refused", async (_what, limits, paths) => {
    const { id } = await group();
    expect(await errorPathsOf(await send("POST", "/workflows", body(limits(id))))).toEqual(paths);
  });

  test("move to another deployment by the names of their groups", async () => {
    const limit = await group();
    const made = await dataOf(
      await send("POST", "/workflows", body([{ groupId: limit.id, key: "{{inputs.service}}" }])),
      201,
      workflowSchema,
    );
    const file = await (await send("GET", `/workflows/${made.id}/export`)).text();
    expect(file).toContain(`limits:\n  ${limit.id}:\n    name: ${limit.name}\n`);
    const importFile = (text: string) =>
      fetch(`${bellhop.url}/api/v1/automation/workflows/import`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
        body: text,
      });
    const elsewhere = file.replaceAll(limit.id, "restarts");
    const imported = await dataOf(await importFile(elsewhere), 201, workflowSchema);
    expect(imported.definition.limits).toEqual([{ groupId: limit.id, key: "{{inputs.service}}" }]);
    expect(await errorPathsOf(await importFile(elsewhere.replaceAll(limit.name, "of no one")))).toEqual([
      "definition.limits.0.groupId",
    ]);
  });
});
