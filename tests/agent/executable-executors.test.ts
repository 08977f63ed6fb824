import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import { CONNECTION_TYPES, descriptorOf } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { expectStages } from "../support/connection-stages.ts";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { deliveryJob } from "../support/sealed-credential.ts";
import { AgentHome } from "./agent-process.ts";

/** The executable contains each executor as a separate file and reads it on first use; this test loads them all. */
let service: FakeService;
let home: AgentHome;
beforeAll(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
  await home.start(service.url, { env: { ALLOW_PRIVATE_NETWORK: "true", SLACK_API_URL: "http://127.0.0.1:1" } });
});
afterAll(async () => {
  await home.remove();
  await service.stop();
});

const DRIVERS = ["postgres", "mysql", "sqlserver"].map((driver): [ConnectionType, JsonObject] => [
  "database",
  { ...descriptorOf("database").example.config, driver, tls: "off" },
]);
// The service sends notifications itself.
const TYPES = CONNECTION_TYPES.filter((type) => type !== "notification");
const CASES: [ConnectionType, JsonObject][] = [
  ...TYPES.map((type): [ConnectionType, JsonObject] => [type, descriptorOf(type).example.config]),
  ...DRIVERS,
  ["database", { driver: "sqlite", database: "/nowhere/at/all.db" }],
];

test.each(CASES.map(([type, config]) => [type, atClosedPort(config)] as const))(
  "the compiled agent tests a connection of type %s with %j",
  async (type, config) => {
    const connection = { id: `con_${type}`, type, config };
    const { id } = service.enqueue({ kind: "connectionTest", action: null, connection, params: {} });
    const result = await resultOf(id);
    expect(result).toMatchObject({ status: "succeeded", error: null });
    expectStages(type, result.output?.["checks"]);
  },
);

test("the compiled agent masks the secrets of a delivered kubeconfig, and nothing else of it", async () => {
  const user = {
    token: "token-of-the-cluster-1234",
    password: "a password: in quotes",
    "client-key-data": Buffer.from("-----BEGIN EC PRIVATE KEY-----").toString("base64"),
  };
  const kubeconfig = [
    "apiVersion: v1",
    "kind: Config",
    "clusters: [{name: c, cluster: {server: https://cluster.example:6443}}]",
    `users: [{name: u, user: ${JSON.stringify(user)}}]`,
    "contexts: [{name: x, context: {cluster: c, user: u}}]",
    "current-context: x",
  ].join("\n");
  const { publicKey } = await eventually("the agent's registration", () => service.registrations[0]);
  const delivery = { agentId: service.agentId, publicKey, connectionId: "con_cluster", secrets: { kubeconfig } };
  const delivered = service.enqueue(deliveryJob({ ...delivery, type: "kubernetes" })).id;
  expect((await resultOf(delivered)).status).toBe("succeeded");
  const script = `cat <<'END'\napiVersion: v1\nserver: https://cluster.example:6443\n${Object.values(user).join("\n")}\nEND`;
  const connection = { id: "con_script", type: "script" as const, config: {} };
  const printed = service.enqueue({ connection, params: { script } }).id;
  expect((await resultOf(printed)).output).toMatchObject({
    stdout: "apiVersion: v1\nserver: https://cluster.example:6443\n***\n***\n***\n",
  });
});

async function resultOf(jobId: string): Promise<JobResult> {
  return await eventually("the result", () => service.resultsOf(jobId)[0]);
}

/** A configuration whose hosts, ports and addresses lead to a closed port on this machine. */
function atClosedPort(config: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (/host$/iu.test(name)) return [name, "127.0.0.1"];
      if (/port$/iu.test(name)) return [name, 1];
      return [name, typeof value === "string" && /^https?:/u.test(value) ? "http://127.0.0.1:1" : value];
    }),
  );
}
