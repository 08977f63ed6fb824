import { describe, expect, test } from "bun:test";
import { jobViewSchema } from "../../schema/contract/execution.ts";
import { laterTestSchema } from "../../schema/contract/management.ts";
import { success } from "../support/agent-client.ts";
import { startForCredentials, sealedFor } from "../support/credentials.ts";
import { digestOf, targetsOf } from "../support/credential-targets.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection, dataOf, problemOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";

const { bellhop, use } = await startForCredentials();
const targets = targetsOf(bellhop);

const beginTest = async (id: string) =>
  dataOf(await call(bellhop, "POST", `/connections/${id}/test?waitSeconds=0`), 202, laterTestSchema);

const SSH = { host: "db-1.internal", port: 22, username: "deploy", authMethod: "password" };
const ELSEWHERE = { ...SSH, host: "evil.example" };

describe("after an edit of the connection's target", () => {
  test("a credential that is bound on the agent's machine counts as delivered again", async () => {
    const { id, agent, held } = await targets.delivered("ssh", SSH);
    await targets.patch(id, ELSEWHERE);
    const [recipient] = await use.recipientsOf(id);
    const target = digestOf(recipient?.target ?? []);
    await agent.client.heartbeat([], [{ ...held, target }]);
    await eventually("the status delivered", async () => (await use.view(id)).credentialStatus === "delivered");
  });

  test("an older agent's credential stays pending until its next delivery, even with the former value", async () => {
    const { id, agent } = await targets.delivered("ssh", SSH, { reports: false });
    await targets.patch(id, ELSEWHERE);
    const [, error] = await targets.statusOf(id);
    expect(error).toBe(
      "The connection's host changed after this credential was delivered. Deliver the credential again.",
    );
    await targets.patch(id, SSH);
    expect((await targets.statusOf(id))[0]).toBe("pending");
    const { version } = await targets.deliverTo(agent, id);
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
    await agent.client.heartbeat([], [{ connectionId: id, version }]);
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
  });

  test("the reason names the fields that differ from the bound target, not those of the last edit", async () => {
    const { id } = await targets.delivered("ssh", SSH);
    await targets.patch(id, { ...ELSEWHERE, port: 2_222 });
    await targets.patch(id, ELSEWHERE);
    const [status, error] = await targets.statusOf(id);
    expect(status).toBe("pending");
    expect(error).toStartWith("The connection's host changed after this credential was delivered.");
  });

  test("a connection that takes no credential any longer says how to withdraw the one that the agent has", async () => {
    const redis = { host: "cache-1.example.com", tls: "off" };
    const { id } = await targets.delivered("redis", redis);
    await targets.patch(id, { ...redis, authType: "none" });
    expect(await targets.statusOf(id)).toEqual([
      "pending",
      `The connection's authentication changed after this credential was delivered. The connection takes no credential now. Withdraw the credential (DELETE /connections/${id}/credentials), or change the connection back.`,
    ]);
  });

  test("the connection shows where the credential may be sent, if that was once its target", async () => {
    const { id, agent, held } = await targets.delivered("ssh", SSH);
    const [recipient] = await use.recipientsOf(id);
    const targetNow = async () => (await use.view(id)).credentials[0]?.target;
    expect(await targetNow()).toBeUndefined();
    await targets.patch(id, ELSEWHERE);
    await targets.patch(id, { ...ELSEWHERE, port: 2_222 });
    expect(await targetNow()).toEqual(recipient?.target ?? []);
    await agent.client.heartbeat([], [{ ...held, target: "of-another-target" }]);
    await eventually("the former target to be unknown", async () => (await targetNow()) === null);
    const [, reason] = await targets.statusOf(id);
    expect(reason).toContain(
      "is bound to a target that is not this connection's. Deliver the credential again. Or test",
    );
    await agent.client.heartbeat([], [held]);
    await eventually("the former target to be known", async () => (await targetNow()) !== null);
    await targets.patch(id, SSH);
    expect(await targetNow()).toBeUndefined();
  });

  test("the credential stays pending, however often it was delivered before", async () => {
    const { id, agent } = await targets.delivered("ssh", SSH, { reports: false });
    for (let times = 0; times < 3; times += 1) await targets.deliverTo(agent, id);
    await targets.patch(id, ELSEWHERE);
    expect((await targets.statusOf(id))[0]).toBe("pending");
  });

  test("the credential stays delivered if the edit changed other fields only", async () => {
    const config = { baseUrl: "https://api.example.com", authType: "bearer" };
    const { id } = await targets.delivered("http", config, { reports: false });
    await targets.patch(id, { ...config, timeoutSeconds: 5 });
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
  });

  test("a new delivery counts once the agent has acknowledged it", async () => {
    const { id, agent } = await targets.delivered("ssh", SSH);
    await targets.patch(id, ELSEWHERE);
    await targets.deliverTo(agent, id);
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
  });

  test("an older agent's credential that was added by hand stays pending", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { type: "ssh", config: SSH, poolId: null, agentId: agent.id });
    await agent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("the status delivered", async () => (await use.view(id)).credentialStatus === "delivered");
    await targets.patch(id, ELSEWHERE);
    expect((await targets.statusOf(id))[0]).toBe("pending");
  });

  test("ciphertext that was queued before the edit does not show as delivered when the agent takes it", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { type: "ssh", config: SSH, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await targets.patch(id, ELSEWHERE);
    const reason = expect.stringContaining("host changed after this credential was delivered");
    expect(await targets.statusOf(id)).toEqual(["pending", reason]);
    await agent.client.report(success(await use.syncOf(agent)));
    expect(await targets.statusOf(id)).toEqual(["pending", reason]);
  });

  test("a credential that was sealed before the edit is refused, or has a version that the agent refuses", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { type: "ssh", config: SSH, poolId: null, agentId: agent.id });
    const [recipient] = await use.recipientsOf(id);
    if (recipient === undefined) throw new Error("the agent is no recipient");
    const { version } = recipient;
    await targets.patch(id, ELSEWHERE);
    const sealed = sealedFor(recipient, id);
    const path = `/connections/${id}/credentials`;
    await problemOf(await call(bellhop, "POST", path, { sealed: [{ ...sealed, version }] }), 409, "conflict");
    expect((await call(bellhop, "POST", path, { sealed: [sealed] })).status).toBe(202);
    expect((await use.syncOf(agent)).params["version"]).toBeGreaterThan(version);
  });

  test("the audit log names the fields", async () => {
    const { id } = await targets.delivered("ssh", SSH);
    await targets.patch(id, ELSEWHERE);
    expect(await (await call(bellhop, "GET", `/audit?subjectId=${id}`)).text()).toContain('"target":["host"]');
  });
});

test("a credential that is bound to no target shows as pending, with the command that binds it", async () => {
  const { id, agent, held } = await targets.delivered("ssh", SSH);
  await agent.client.heartbeat([], [{ ...held, target: null }]);
  await eventually("the status pending", async () => (await use.view(id)).credentialStatus === "pending");
  expect((await targets.statusOf(id))[1]).toBe(
    `The agent's credential is bound to no target, so it is not used. Deliver the credential again. Or test the connection, so that the agent sees its target, and then bind the credential on the agent's machine (bellhop-agent credentials bind ${id}).`,
  );
  expect((await beginTest(id)).waitingFor).toContain(
    "holding the connection's credential, which is bound to no target",
  );
});

describe("dispatch after the edit", () => {
  test("passes over the agent until its credential is for the connection's target again", async () => {
    const { id, agent } = await targets.delivered("ssh", SSH);
    await targets.patch(id, ELSEWHERE);
    const { jobId } = await beginTest(id);
    expect((await agent.client.poll()).jobs).toEqual([]);
    const { waitingFor } = await dataOf(await call(bellhop, "GET", `/jobs/${jobId}`), 200, jobViewSchema);
    expect(waitingFor).toContain("holding the connection's credential for another target");
    await targets.patch(id, SSH);
    await eventually("the agent to get the job", async () =>
      (await agent.client.poll()).jobs.some((job) => job.id === jobId),
    );
  });

  test("gives an older agent the job after the next delivery", async () => {
    const { id, agent } = await targets.delivered("ssh", SSH, { reports: false });
    await targets.patch(id, ELSEWHERE);
    const { jobId } = await beginTest(id);
    expect((await agent.client.poll()).jobs).toEqual([]);
    const { version } = await targets.deliverTo(agent, id);
    await agent.client.heartbeat([], [{ connectionId: id, version }]);
    await eventually("the agent to get the job", async () =>
      (await agent.client.poll()).jobs.some(
        (job) => job.id === jobId && job.connection?.config["host"] === "evil.example",
      ),
    );
  });
});

test("the recipients of a connection with an outdated configuration are a 409 that says what to do", async () => {
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { type: "ssh", config: SSH, poolId: null, agentId: agent.id });
  await query(bellhop, 'update connections set config = \'{"host":"db-1"}\' where id = ?', [id]);
  const { detail } = await problemOf(await call(bellhop, "GET", `/connections/${id}/recipients`), 409, "conflict");
  expect(detail).toContain("Edit the connection first");
});
