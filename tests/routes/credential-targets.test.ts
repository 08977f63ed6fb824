import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { CONNECTION_CONFIGS, CONNECTION_TYPES, takesCredential } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import { jobViewSchema } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { laterTestSchema } from "../../schema/contract/management.ts";
import { success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { credentialsOf, sealedFor } from "../support/credentials.ts";
import type { Member } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection, dataOf, problemOf } from "../support/management-api.ts";

let bellhop: Bellhop;
let use: ReturnType<typeof credentialsOf>;
beforeAll(async () => {
  bellhop = await startBellhop();
  use = credentialsOf(bellhop);
});
afterAll(() => bellhop.stop());

interface Case {
  config: JsonObject;
  /** Another value for each field that says where the credential goes, with the word that the reason has for it. */
  target: Record<string, [value: JsonObject[string], word: string]>;
  /** Another value for each field that does not. */
  other: JsonObject;
}
const KEY = `SHA256:${"A".repeat(43)}`;
const CASES: Partial<Record<ConnectionType, Case>> = {
  ssh: {
    config: { host: "db-1.internal", port: 22, username: "deploy", authMethod: "password" },
    target: {
      host: ["evil.example", "host"],
      port: [2_222, "port"],
      username: ["root", "user name"],
      authMethod: ["privateKey", "authentication"],
      hostKeyFingerprint: [KEY, "host key"],
    },
    other: {},
  },
  http: {
    config: { baseUrl: "https://api.example.com/v2", authType: "apiKey" },
    target: {
      baseUrl: ["https://api.example.com/v3", "address"],
      authType: ["bearer", "authentication and header of the API key"],
      apiKeyHeader: ["X-Other", "header of the API key"],
      verifySsl: [false, "TLS verification"],
    },
    other: { timeoutSeconds: 5 },
  },
  kubernetes: {
    config: { context: "prod" },
    target: { context: ["test", "context"], kubeconfigPath: ["/etc/other", "kubeconfig on the agent"] },
    other: { namespace: "web" },
  },
  database: {
    config: { driver: "postgres", host: "db-1", database: "app" },
    target: {
      driver: ["mysql", "kind of database and port"],
      host: ["evil.example", "host"],
      port: [5_433, "port"],
      database: ["other", "database"],
      tls: ["off", "encryption"],
    },
    other: {},
  },
  winrm: {
    config: { host: "win-1", port: 5_986, useSsl: true, authMethod: "ntlm" },
    target: {
      host: ["evil.example", "host"],
      port: [5_985, "port"],
      useSsl: [false, "HTTPS"],
      authMethod: ["basic", "authentication"],
    },
    other: {},
  },
  email: {
    config: { smtpHost: "smtp.example.com", smtpPort: 587, useTls: true, fromAddress: "a@example.com" },
    target: {
      smtpHost: ["evil.example", "mail server"],
      smtpPort: [25, "port"],
      useTls: [false, "TLS"],
    },
    other: { fromAddress: "b@example.com" },
  },
  ticketing: {
    config: { serverUrl: "https://acme.atlassian.net", email: "a@example.com" },
    target: {
      serverUrl: ["https://evil.example", "Jira site"],
      email: ["b@example.com", "account"],
    },
    other: {},
  },
  chat: { config: { defaultChannel: "C024BE91L" }, target: {}, other: { defaultChannel: "C024BE91M" } },
  teamchat: { config: {}, target: {}, other: { webhookUrl: "https://a.example/hook" } },
  custom: { config: { fields: { zone: "eu" } }, target: { fields: [{ zone: "us" }, "field zone"] }, other: {} },
};

/** A connection whose agent has taken its credential, and reports the target that it was sealed for. */
async function delivered(type: ConnectionType, config: JsonObject, { reports = true } = {}) {
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { type, config, poolId: null, agentId: agent.id });
  const held = { connectionId: id, ...(await deliverTo(agent, id)) };
  const { connectionId, version } = held;
  await agent.client.heartbeat([], [reports ? held : { connectionId, version }]);
  await eventually("it shows as delivered", async () => (await use.view(id)).credentialStatus === "delivered");
  return { agent, id, held };
}

async function deliverTo(agent: Member, id: string): Promise<{ version: number; target: string }> {
  const [recipient] = await use.recipientsOf(id);
  if (recipient === undefined) throw new Error("the agent is no recipient");
  await use.deliver(id);
  await agent.client.report(success(await use.syncOf(agent)));
  const target = createHash("sha256").update(canonicalTarget(recipient.target)).digest("base64url");
  return { version: recipient.version, target };
}

const patch = async (id: string, config: JsonObject) =>
  (await call(bellhop, "PATCH", `/connections/${id}`, { config })).status;
const statusOf = async (id: string) => {
  const { credentialStatus, credentials } = await use.view(id);
  return [credentialStatus, credentials[0]?.error ?? null];
};

test("every field of every type is in this table", () => {
  for (const type of CONNECTION_TYPES.filter(takesCredential)) {
    const { target = {}, other = {} } = CASES[type] ?? {};
    const known = [...Object.keys(target), ...Object.keys(other)];
    expect([type, ...known.toSorted()]).toEqual([type, ...Object.keys(CONNECTION_CONFIGS[type].shape).toSorted()]);
  }
});

describe.each(Object.entries(CASES))("an edit of a connection of type %s", (name, { config, target, other }) => {
  const type = CONNECTION_TYPES.find((one) => one === name) ?? "ssh";

  test("takes the credential away when it changes the target, says why, and gives it back with the former value", async () => {
    const { id } = await delivered(type, config);
    for (const [field, [value, word]] of Object.entries(target)) {
      expect([field, await patch(id, { ...config, [field]: value })]).toEqual([field, 200]);
      expect([field, ...(await statusOf(id))]).toEqual([
        field,
        "pending",
        `The connection's ${word} changed after this credential was delivered: deliver it again, or bind it on the agent's machine (bellhop-agent credentials bind ${id}).`,
      ]);
      expect(await patch(id, config)).toBe(200);
      expect([field, ...(await statusOf(id))]).toEqual([field, "delivered", null]);
    }
  });

  test("leaves the credential where it is when it changes anything else", async () => {
    const { id } = await delivered(type, config);
    for (const [field, value] of Object.entries(other)) {
      expect([field, await patch(id, { ...config, [field]: value })]).toEqual([field, 200]);
      expect([field, ...(await statusOf(id))]).toEqual([field, "delivered", null]);
    }
    await call(bellhop, "PATCH", `/connections/${id}`, { name: "another name" });
    expect(await statusOf(id)).toEqual(["delivered", null]);
  });
});

const SSH = CASES.ssh?.config ?? {};
const ELSEWHERE = { ...SSH, host: "evil.example" };

describe("after an edit of the target", () => {
  test("a bind on the agent's machine makes the credential delivered again", async () => {
    const { id, agent, held } = await delivered("ssh", SSH);
    await patch(id, ELSEWHERE);
    const [recipient] = await use.recipientsOf(id);
    const target = createHash("sha256")
      .update(canonicalTarget(recipient?.target ?? []))
      .digest("base64url");
    await agent.client.heartbeat([], [{ ...held, target }]);
    await eventually("it shows as delivered", async () => (await use.view(id)).credentialStatus === "delivered");
  });

  test("an older agent's credential stays pending, also with the former value, until it is delivered again", async () => {
    const { id, agent } = await delivered("ssh", SSH, { reports: false });
    await patch(id, ELSEWHERE);
    const [, error] = await statusOf(id);
    expect(error).toBe("The connection's host changed after this credential was delivered: deliver it again.");
    await patch(id, SSH);
    expect((await statusOf(id))[0]).toBe("pending");
    const { version } = await deliverTo(agent, id);
    expect(await statusOf(id)).toEqual(["delivered", null]);
    await agent.client.heartbeat([], [{ connectionId: id, version }]);
    expect(await statusOf(id)).toEqual(["delivered", null]);
  });

  test("an older agent's credential that was put in by hand stays pending", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { type: "ssh", config: SSH, poolId: null, agentId: agent.id });
    await agent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("it shows as delivered", async () => (await use.view(id)).credentialStatus === "delivered");
    await patch(id, ELSEWHERE);
    expect((await statusOf(id))[0]).toBe("pending");
  });

  test("ciphertext that waited since before is not shown as delivered when the agent takes it", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { type: "ssh", config: SSH, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await patch(id, ELSEWHERE);
    const reason = expect.stringContaining("host changed after this credential was delivered");
    expect(await statusOf(id)).toEqual(["pending", reason]);
    await agent.client.report(success(await use.syncOf(agent)));
    expect(await statusOf(id)).toEqual(["pending", reason]);
  });

  test("what somebody was sealing meanwhile is refused, or has a version that the agent refuses", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { type: "ssh", config: SSH, poolId: null, agentId: agent.id });
    const [recipient] = await use.recipientsOf(id);
    if (recipient === undefined) throw new Error("the agent is no recipient");
    const { version } = recipient;
    await patch(id, ELSEWHERE);
    const sealed = sealedFor(recipient, id);
    const path = `/connections/${id}/credentials`;
    await problemOf(await call(bellhop, "POST", path, { sealed: [{ ...sealed, version }] }), 409, "conflict");
    expect((await call(bellhop, "POST", path, { sealed: [sealed] })).status).toBe(202);
    expect((await use.syncOf(agent)).params["version"]).toBeGreaterThan(version);
  });

  test("the audit log names the fields", async () => {
    const { id } = await delivered("ssh", SSH);
    await patch(id, ELSEWHERE);
    expect(await (await call(bellhop, "GET", `/audit?subjectId=${id}`)).text()).toContain('"target":["host"]');
  });
});

test("a credential that is bound to no target shows as pending, with the command that binds it", async () => {
  const { id, agent, held } = await delivered("ssh", SSH);
  await agent.client.heartbeat([], [{ ...held, target: null }]);
  await eventually("it shows as pending", async () => (await use.view(id)).credentialStatus === "pending");
  expect((await statusOf(id))[1]).toBe(
    `The agent's credential is not bound to a target, so it is not used: bind it on the agent's machine (bellhop-agent credentials bind ${id}), or deliver it again.`,
  );
});

describe("dispatch, from the moment the edit is answered", () => {
  const beginTest = async (id: string) =>
    dataOf(await call(bellhop, "POST", `/connections/${id}/test?waitSeconds=0`), 202, laterTestSchema);

  test("passes over the agent until the credential is for the connection's target again", async () => {
    const { id, agent } = await delivered("ssh", SSH);
    await patch(id, ELSEWHERE);
    const { jobId } = await beginTest(id);
    expect((await agent.client.poll()).jobs).toEqual([]);
    const { waitingFor } = await dataOf(await call(bellhop, "GET", `/jobs/${jobId}`), 200, jobViewSchema);
    expect(waitingFor).toContain("holding the connection's credential for another target");
    await patch(id, SSH);
    await eventually("the agent is given the job", async () =>
      (await agent.client.poll()).jobs.some((job) => job.id === jobId),
    );
  });

  test("gives an older agent the job after the next delivery", async () => {
    const { id, agent } = await delivered("ssh", SSH, { reports: false });
    await patch(id, ELSEWHERE);
    const { jobId } = await beginTest(id);
    expect((await agent.client.poll()).jobs).toEqual([]);
    const { version } = await deliverTo(agent, id);
    await agent.client.heartbeat([], [{ connectionId: id, version }]);
    await eventually("the agent is given the job", async () =>
      (await agent.client.poll()).jobs.some(
        (job) => job.id === jobId && job.connection?.config["host"] === "evil.example",
      ),
    );
  });
});
