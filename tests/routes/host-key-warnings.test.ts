import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectionSchema, workflowSchema } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, createConnection, dataOf } from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

test("an SSH connection without keys of its hosts has a warning, and so has each workflow on it", async () => {
  const config = { targets: ["web-*.example.org"], username: "ops", authMethod: "password" };
  const made = await createConnection(bellhop, { type: "ssh", config });
  const message = expect.stringContaining("signs in to none of them");
  expect(made.warnings).toEqual([{ path: "config.hostKeys", message }]);
  const node = {
    id: "run",
    type: "action",
    action: "ssh.executeCommand",
    connectionId: made.id,
    target: "web-1.example.org",
  };
  const warningsOf = async () => {
    const definition = { nodes: [{ ...node, params: { command: "true" } }], edges: [] };
    const body = { name: "a workflow", trigger: { type: "manual" }, definition };
    const response = await call(bellhop, "POST", "/workflows", body);
    return (await dataOf(response, 201, workflowSchema)).warnings;
  };
  expect(await warningsOf()).toEqual([{ path: "definition.nodes.0.connectionId", message }]);
  const hostKeys = [`web-1.example.org SHA256:${"a".repeat(43)}`];
  const changed = await call(bellhop, "PATCH", `/connections/${made.id}`, { config: { ...config, hostKeys } });
  expect(await dataOf(changed, 200, connectionSchema)).not.toHaveProperty("warnings");
  expect(await warningsOf()).toEqual([]);
});
