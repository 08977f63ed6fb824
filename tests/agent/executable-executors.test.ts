import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import { CONNECTION_TYPES, connectionTypeSchema } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { deliveryJob } from "../support/sealed-credential.ts";
import { AgentHome } from "./agent-process.ts";

/** Each executor is a file of its own in the executable, read on first use: here every one of them is. */
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

const HERE = { host: "127.0.0.1", port: 1 };
const TESTED: Partial<Record<ConnectionType, [config: JsonObject, check: string][]>> = {
  ssh: [[{ ...HERE, username: "u", authMethod: "password" }, "TCP connection"]],
  http: [[{ baseUrl: "http://127.0.0.1:1", authType: "none" }, "HTTP request"]],
  kubernetes: [[{}, "Kubeconfig"]],
  chat: [[{ defaultChannel: "C024BE91L" }, "API reachable"]],
  ticketing: [[{ serverUrl: "http://127.0.0.1:1", email: "a@example.com" }, "API reachable"]],
  email: [[{ smtpHost: "127.0.0.1", smtpPort: 1, useTls: false, fromAddress: "a@example.com" }, "TCP connection"]],
  teamchat: [[{ webhookUrl: "http://127.0.0.1:1/hook" }, "Endpoint reachable"]],
  database: [
    [{ ...HERE, database: "d", driver: "postgres", tls: "off" }, "TCP connection"],
    [{ ...HERE, database: "d", driver: "mysql", tls: "off" }, "TCP connection"],
    [{ ...HERE, database: "d", driver: "sqlserver", tls: "off" }, "TCP connection"],
    [{ database: "/nowhere/at/all.db", driver: "sqlite" }, "File"],
  ],
  winrm: [[{ ...HERE, useSsl: false, authMethod: "ntlm" }, "TCP connection"]],
  script: [[{}, "bash"]],
  osService: [[{}, "Service manager"]],
  custom: [[{ fields: {} }, "bash"]],
};

test("every type but notification, which the service runs itself, has an executor", () => {
  expect(Object.keys(TESTED).sort()).toEqual(CONNECTION_TYPES.filter((type) => type !== "notification").sort());
});

for (const [type, cases] of Object.entries(TESTED)) {
  for (const [config, check] of cases) {
    const name = typeof config["driver"] === "string" ? `${type} (${config["driver"]})` : type;
    test(`the compiled agent tests a connection of type ${name}`, async () => {
      const connection = { id: `con_${type}`, type: connectionTypeSchema.parse(type), config };
      const { id } = service.enqueue({ kind: "connectionTest", action: null, connection, params: {} });
      const result = await resultOf(id);
      expect(result).toMatchObject({ status: "succeeded", error: null });
      expect(JSON.stringify(result.output?.["checks"])).toContain(`"name":"${check}"`);
    });
  }
}

test("the compiled agent masks what a delivered kubeconfig hides, and nothing else of it", async () => {
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
