import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fingerprintOf } from "../../agent/vault/crypto.ts";
import type { Job, JobResult } from "../../schema/contract/agent.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { secretsIn } from "../support/bound-credential.ts";
import { deliveryJob, syncJob } from "../support/sealed-credential.ts";
import { Parts } from "./parts.ts";

let agent: Parts;
beforeEach(async () => {
  agent = await Parts.start();
});
afterEach(async () => {
  await chmod(agent.directory, 0o700).catch(() => undefined);
  await agent.stop();
});

/** Delivers the jobs with one poll and returns their results in order. */
async function done(...jobs: Partial<Job>[]): Promise<JobResult[]> {
  const ids = jobs.map((job) => agent.service.enqueue(job).id);
  await agent.poll();
  await agent.runner.idle();
  await agent.poll();
  return ids.map((id) => {
    const [result] = agent.service.resultsOf(id);
    if (result === undefined) throw new Error(`no result for ${id}`);
    return result;
  });
}

const doneOne = (job: Partial<Job>) => agent.done(job);
const target = () => ({ agentId: agent.service.agentId, publicKey: agent.vault.publicKey });
const delivery = (password: string, version = 1) => deliveryJob({ ...target(), version, secrets: { password } });
const present = (version: number) => ({ status: "succeeded", output: { state: "present", version }, error: null });
const absent = (version: number) => ({ status: "succeeded", output: { state: "absent", version }, error: null });
const held = () => agent.vault.versions().map(({ connectionId, version }) => ({ connectionId, version }));

describe("a sealed credential", () => {
  test("is in the vault after its delivery, and the next heartbeat reports it", async () => {
    expect(await doneOne(delivery("canary-5d1e"))).toMatchObject(present(1));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-5d1e" });
    await agent.heartbeat();
    expect(agent.service.heartbeats.at(-1)?.credentials).toMatchObject([
      { connectionId: "con_1", version: 1, target: null },
    ]);
  });

  test("is still there after a restart", async () => {
    await doneOne(delivery("canary-5d1e", 3));
    await agent.restart();
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-5d1e" });
    expect(held()).toEqual([{ connectionId: "con_1", version: 3 }]);
  });

  test("of a newer version replaces all names of the older one", async () => {
    const key = { privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nabc", passphrase: "canary-1" };
    await doneOne(deliveryJob({ ...target(), version: 1, secrets: key }));
    expect(await doneOne(delivery("canary-2", 2))).toMatchObject(present(2));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-2" });
  });

  test("of an older version changes nothing, and its result has the version in the vault", async () => {
    await doneOne(delivery("canary-new", 7));
    expect(await doneOne(delivery("canary-old", 6))).toMatchObject(present(7));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-new" });
  });

  test("that is delivered again does not replace a local one", async () => {
    const job = delivery("canary-sent", 4);
    await doneOne(job);
    await agent.vault.put("con_1", { secrets: { password: "canary-by-hand" } });
    expect(await doneOne(job)).toMatchObject(present(4));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-by-hand" });
    expect(held()).toEqual([{ connectionId: "con_1", version: 4 }]);
    expect(await doneOne(delivery("canary-next", 5))).toMatchObject(present(5));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-next" });
  });

  test("replaces a local one without a version", async () => {
    await agent.vault.put("con_1", { secrets: { password: "canary-by-hand" } });
    expect(await doneOne(delivery("canary-sent"))).toMatchObject(present(1));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-sent" });
  });

  test("of the largest size is accepted", async () => {
    const kubeconfig = "k".repeat(1_048_576);
    const job = deliveryJob({ ...target(), type: "kubernetes", secrets: { kubeconfig } });
    expect(await doneOne(job)).toMatchObject(present(1));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ kubeconfig });
  });

  const fitting: [ConnectionType, Record<string, string>][] = [
    ["ssh", { password: "canary-1" }],
    ["ssh", { privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nabc", passphrase: "canary" }],
    ["http", { username: "ada", password: "canary" }],
    ["http", { apiKey: "canary" }],
    ["chat", { botToken: "canary" }],
    ["database", { username: "ada", password: "canary" }],
    ["email", { password: "canary" }],
    ["teamchat", { webhookUrl: "https://example.com/canary" }],
    ["custom", { "any name": "canary", ANOTHER: "canary" }],
  ];
  for (const [type, secrets] of fitting) {
    test(`for a connection of type ${type} is accepted with ${Object.keys(secrets).join(" and ")}`, async () => {
      expect(await doneOne(deliveryJob({ ...target(), type, secrets }))).toMatchObject(present(1));
      expect(secretsIn(agent.vault, "con_1")).toEqual(secrets);
    });
  }
});

test("the newest of several delivered versions wins, in any order of delivery", async () => {
  const versions = [3, 1, 5, 2, 4];
  const results = await done(...versions.map((version) => delivery(`canary-${version}`, version)));
  expect(results.map(({ status }) => status)).toEqual(versions.map(() => "succeeded"));
  expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-5" });
  expect(held()).toEqual([{ connectionId: "con_1", version: 5 }]);
});

describe("removing a credential", () => {
  test("removes this version and older ones from vault and file", async () => {
    await doneOne(delivery("canary-1", 2));
    expect(await doneOne(syncJob({ state: "absent", version: 2 }))).toMatchObject(absent(2));
    expect(secretsIn(agent.vault, "con_1")).toBeNull();
    await agent.restart();
    expect(held()).toEqual([]);
  });

  test("keeps a newer version, and says so", async () => {
    await doneOne(delivery("canary-1", 3));
    expect(await doneOne(syncJob({ state: "absent", version: 2 }))).toMatchObject(present(3));
    expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-1" });
  });

  test("succeeds without a stored credential, and when repeated", async () => {
    const job = syncJob({ state: "absent", version: 1 });
    expect(await done(job, job)).toMatchObject([absent(1), absent(1)]);
  });

  test("removes a local one each time that the service asks", async () => {
    for (let times = 0; times < 2; times++) {
      await agent.vault.put("con_1", { secrets: { password: "canary-by-hand" } });
      expect(await doneOne(syncJob({ state: "absent", version: 2 }))).toMatchObject(absent(2));
      expect(held()).toEqual([]);
    }
  });

  test("is not undone by a late delivery of an older version, even after a restart", async () => {
    const late = delivery("canary-late", 4);
    await doneOne(syncJob({ state: "absent", version: 5 }));
    expect(await doneOne(late)).toMatchObject(absent(5));
    await agent.restart();
    expect(await doneOne(late)).toMatchObject(absent(5));
    expect(held()).toEqual([]);
    expect(await doneOne(delivery("canary-newer", 6))).toMatchObject(present(6));
    // The removal record is gone, too: the file has its usual form again.
    expect(await readFile(join(agent.directory, "vault.json"), "utf8")).not.toContain("withdrawn");
  });

  test("leaves other connections unchanged", async () => {
    await agent.vault.put("con_2", { secrets: { password: "canary-2" } });
    await doneOne(syncJob({ state: "absent", version: 9 }));
    expect(secretsIn(agent.vault, "con_2")).toEqual({ password: "canary-2" });
  });
});

test("a credential that was sealed before the vault was lost is refused with the fingerprint to compare", async () => {
  const stale = delivery("canary-stale");
  await rm(join(agent.directory, "vault.json"));
  await agent.restart();
  const result = await doneOne(stale);
  expect(result).toMatchObject({ status: "failed", error: { code: "credential_unreadable" } });
  expect(result.error?.message).toContain(fingerprintOf(agent.vault.publicKey));
  expect(await doneOne(delivery("canary-fresh", 2))).toMatchObject(present(2));
});

test("a vault that cannot be written fails the delivery and keeps its content", async () => {
  await agent.vault.put("con_1", { secrets: { password: "kept-as-it-was" } }, 1);
  // The journal keeps its open file; a directory at the path of the vault's temporary file blocks the vault alone.
  await Bun.write(join(agent.directory, "vault.json.tmp", "in-the-way"), "");
  for (const job of [delivery("canary-8e1b", 2), syncJob({ state: "absent", version: 2 })]) {
    const result = await doneOne(job);
    expect(result).toMatchObject({ status: "failed", output: null, error: { code: "vault_unwritable" } });
    expect(result.error?.message).not.toContain("canary");
  }
  expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "kept-as-it-was" });
});

test("a delivery that the agent's end interrupted is reported as interrupted, and succeeds when repeated", async () => {
  const job = agent.service.enqueue(delivery("canary-1"));
  // As if the process had ended after recording the job's begin; the service has issued this lease.
  await agent.journal.begin({ jobId: job.id, lease: "lease-of-before", attempt: 1 });
  agent.service.change(job.id, { lease: "lease-of-before" });
  agent.service.forgetResult(job.id);
  await agent.restart();
  await agent.poll();
  expect(agent.service.resultsOf(job.id)).toMatchObject([{ status: "interrupted", ack: "accepted" }]);
  expect(held()).toEqual([]);
  agent.service.assignAgain(job.id, { attempt: 2 });
  await agent.poll();
  await agent.runner.idle();
  await agent.poll();
  expect(agent.service.resultsOf(job.id).at(-1)).toMatchObject({ ...present(1), ack: "accepted" });
  expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "canary-1" });
});

test("a delivery whose answer was lost succeeds again without a change", async () => {
  const job = agent.service.enqueue(delivery("canary-1"));
  await agent.poll();
  await agent.runner.idle();
  const before = await readFile(join(agent.directory, "vault.json"), "utf8");
  agent.service.assignAgain(job.id, { attempt: 2 });
  await agent.restart();
  await agent.poll();
  await agent.runner.idle();
  await agent.poll();
  expect(agent.service.resultsOf(job.id).at(-1)).toMatchObject({ ...present(1), ack: "accepted" });
  expect(await readFile(join(agent.directory, "vault.json"), "utf8")).toBe(before);
});
