import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { acquireLock } from "../../agent/journal/process-lock.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { deliveryJob } from "../support/sealed-credential.ts";
import { AgentHome } from "./agent-process.ts";
import type { AgentProcess } from "./agent-process.ts";
import { runCommand, typeAtCommand } from "./command-process.ts";

let service: FakeService;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
});
afterEach(async () => {
  await home.remove();
  await service.stop();
  expect(service.violations).toEqual([]);
});

const credentials = (args: string, options?: Parameters<typeof runCommand>[2]) =>
  runCommand(home, ["credentials", ...args.split(" ")], options);

/** A running agent whose next regular heartbeat comes after the test: an earlier one reports a change. */
async function running(env: Record<string, string> = {}): Promise<AgentProcess> {
  const agent = await home.start(service.url, { env: { HEARTBEAT_INTERVAL: "80", ...env } });
  await agent.adminUrl();
  await eventually("the first heartbeat", () => service.heartbeats.length === 1);
  return agent;
}

const UNBOUND =
  "It is unbound, so no job uses it yet. Run the connection's test, and then: bellhop-agent credentials bind con_1\nThe agent has it and reports it to the service now.\n";
const reported = () => service.heartbeats.at(-1)?.credentials;
const listingSchema = z.object({
  fingerprint: z.string(),
  credentials: z.array(z.object({ connectionId: z.string(), version: z.number(), names: z.array(z.string()) })),
  lost: z.object({ connectionIds: z.array(z.string()) }).nullable(),
});
const NEW = /^Stored for con_1: username, password\.\nThis agent had no credential .*\nIt is unbound/u;
const listed = async (options?: Parameters<typeof runCommand>[2]) =>
  listingSchema.parse(JSON.parse((await credentials("list --json", options)).stdout));

describe("credentials with a running agent", () => {
  test("set, list and delete work, and the service gets each change immediately", async () => {
    await running();
    const stored = await credentials("set con_1", { input: '{"username":"ada","password":"canary-6a"}' });
    expect(stored).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(NEW) });
    await eventually("the heartbeat", () => service.heartbeats.length === 2);
    expect(reported()).toMatchObject([{ connectionId: "con_1", version: 0, target: null }]);

    expect((await credentials("set con_1 --name passwrod", { input: "canary-6b\n" })).stdout).toBe(
      "Replaced for con_1: passwrod.\nThe names have changed. Before: username, password; now: passwrod.\n" + UNBOUND,
    );
    const righted = await credentials("set con_1 --name password", { input: "canary-6c\n" });
    expect(righted.stdout).toContain("Before: passwrod; now: password.");
    const same = await credentials("set con_1 --name password", { input: "canary-6b\n" });
    expect(same.stdout).toBe(`Replaced for con_1: password.\n${UNBOUND}`);
    const { stdout } = await credentials("list");
    expect(stdout).toMatch(/^CONNECTION {2}SECRETS {3}VERSION {2}UPDATED \(UTC\)\ncon_1 {7}password {2}local {4}20/u);
    expect(stdout).not.toContain("canary");

    expect((await credentials("delete con_1")).code).toBe(0);
    await eventually("the heartbeat", () => reported()?.length === 0);
    const again = await credentials("delete con_1");
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("no credential for con_1");
    expect((await credentials("list")).stdout).toStartWith("The vault has no credentials yet.");
  });

  test("set over a delivered credential keeps its version, and says so", async () => {
    await running();
    const publicKey = service.registrations[0]?.publicKey;
    if (publicKey === undefined) throw new Error("no public key");
    const delivery = { agentId: service.agentId, publicKey, version: 3, secrets: { password: "canary-6a" } };
    service.enqueue(deliveryJob(delivery));
    await eventually("the delivery", () => reported()?.[0]?.version === 3);
    const { stdout } = await credentials("set con_1 --type ssh --name password", { input: "canary-6b" });
    expect(stdout).toContain("It replaces version 3, which was delivered, until the next delivery.");
    expect((await listed()).credentials).toMatchObject([{ connectionId: "con_1", version: 3, names: ["password"] }]);
  });

  test("fingerprint, list and the log show the same fingerprint", async () => {
    const agent = await running();
    const { fingerprint } = await listed();
    expect(fingerprint).toMatch(/^[A-Za-z0-9_-]{43}$/u);
    expect(agent.log()).toContain(`"fingerprint":"${fingerprint}"`);
    expect(await runCommand(home, ["fingerprint"])).toEqual({ code: 0, stdout: `${fingerprint}\n`, stderr: "" });
    expect((await credentials("list")).stdout).toContain(`Fingerprint of this agent's key: ${fingerprint}`);
  });

  test("set reaches the agent of its vault despite HTTP_PROXY and another ADMIN_PORT", async () => {
    await running();
    const env = { HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9", ADMIN_PORT: "9" };
    expect((await credentials("set con_1", { env, input: '{"a":"canary"}' })).code).toBe(0);
  });

  test("list with a wrong or missing ADMIN_TOKEN is refused with advice", async () => {
    await running({ ADMIN_TOKEN: "0123456789abcdef0123" });
    const wrong = await credentials("list", { env: { ADMIN_TOKEN: "another-token-0123456789" } });
    expect(wrong).toMatchObject({ code: 77, stdout: "" });
    expect(wrong.stderr).toContain("refuses this token");
    const missing = await credentials("list");
    expect(missing.code).toBe(77);
    expect(missing.stderr).toContain("set ADMIN_TOKEN to the agent's");
    expect((await credentials("list", { env: { ADMIN_TOKEN: "0123456789abcdef0123" } })).code).toBe(0);
  });

  test("list after too many requests says when to try again", async () => {
    const agent = await running();
    const url = await agent.adminUrl();
    const headers = { Authorization: `Bearer ${(await home.text("admin-token")).trim()}` };
    await Promise.all(Array.from({ length: 60 }, () => fetch(url, { headers })));
    const refused = await credentials("list");
    expect(refused.code).toBe(69);
    expect(refused.stderr).toMatch(/60 requests a minute\. Try again in \d+ s/u);
  });

  test("set passes on why the agent refused, without the value", async () => {
    await running();
    const { code, stderr } = await credentials("set con_1 --name privateKey", {
      input: "PuTTY-User-Key-File-2: canary-6a",
    });
    expect(code).toBe(65);
    expect(stderr).toContain("puttygen key.ppk -O private-openssh");
    expect(stderr).not.toContain("canary");
    expect((await listed()).credentials).toEqual([]);
  });
});

describe("credentials set in a terminal", () => {
  test("asks for secrets without showing them, and takes a pasted key as one answer", async () => {
    await running();
    Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", "canary-6b", "-f", home.path("key")]);
    const lines = (await home.text("key")).replaceAll("\n", "\r");
    const { code, screen } = await typeAtCommand(
      home,
      ["credentials", "set", "con_1", "--type", "ssh"],
      [
        { after: "Which? 1 password, 2 privateKey: ", type: "2\r" },
        { after: "paste it whole", type: `\u001b[200~${lines}\u001b[201~\r` },
        { after: "passphrase (if there is one; nothing is shown): ", type: "canary-6b\r" },
      ],
    );
    expect({ code, screen }).toMatchObject({ code: 0 });
    expect(screen).toContain("Which? 1 password, 2 privateKey: 2");
    expect(screen).toContain("Stored for con_1: privateKey, passphrase.");
    expect(screen).not.toContain("canary");
    expect(screen).not.toContain("PRIVATE KEY");
    expect((await listed()).credentials).toMatchObject([{ names: ["privateKey", "passphrase"] }]);
  });

  test("ends on Ctrl-C, changes nothing and restores the terminal", async () => {
    await running();
    const { code, screen } = await typeAtCommand(
      home,
      ["credentials", "set", "con_1", "--name", "password"],
      [{ after: "password (nothing is shown): ", type: "canary\u0003" }],
    );
    expect(code).toBe(1);
    expect(screen).toContain("cancelled: nothing was changed");
    expect(screen).not.toContain("canary");
    expect(screen).toContain("\u001b[?2004l");
    expect((await listed()).credentials).toEqual([]);
  });
});

describe("credentials without a running agent", () => {
  const env = { AGENT_API_KEY: FAKE_AGENT_KEY };

  test("set writes the vault directly, and the next agent reports the credential", async () => {
    const stored = await credentials("set con_1 --name password", { env, input: "canary-6a" });
    expect(stored).toMatchObject({ code: 0, stderr: "" });
    expect(stored.stdout).toContain("No agent runs: the agent reports it to the service when it starts.");
    expect((await stat(home.path("vault.json"))).mode & 0o777).toBe(0o600);
    expect(await home.text("vault.json")).not.toContain("canary");
    const { fingerprint } = await listed({ env });
    await running();
    expect(reported()).toMatchObject([{ connectionId: "con_1", version: 0, target: null }]);
    expect((await listed()).fingerprint).toBe(fingerprint);
  });

  test("set and delete keep the vault's key pair and its other credentials", async () => {
    const agent = await running();
    await credentials("set con_1", { input: '{"a":"one"}' });
    agent.kill("SIGTERM");
    await agent.exited;
    expect(await readdir(home.directory)).not.toContain("vault.admin-url");
    expect((await credentials("set con_2", { env, input: '{"b":"two"}' })).stdout).not.toContain("other names");
    const replaced = await credentials("set con_2", { env, input: '{"a":"two"}' });
    expect(replaced.stdout).toContain("Before: b; now: a.");
    expect((await credentials("delete con_1", { env })).code).toBe(0);
    expect((await listed({ env })).credentials).toMatchObject([{ connectionId: "con_2" }]);
    await home.start(service.url);
    await eventually("the second registration", () => service.registrations.length === 2);
    expect(service.registrations[1]?.publicKey).toEqual(service.registrations[0]?.publicKey);
  });

  test("list without the agent's key says what to do, and creates nothing", async () => {
    const { code, stderr } = await credentials("list");
    expect(code).toBe(69);
    expect(stderr).toContain(`no agent runs with the vault ${home.path("vault.json")}. Start the agent; or set`);
    expect(await readdir(home.directory)).toEqual([]);
    expect(await runCommand(home, ["fingerprint"])).toMatchObject({ code: 1, stdout: "" });
  });

  test("set with another key leaves the vault unchanged", async () => {
    await credentials("set con_1", { env, input: '{"a":"one"}' });
    const before = await readFile(home.path("vault.json"), "utf8");
    for (const key of [`bhTestAgent1_${"x".repeat(43)}`, `bhTestAgent2_${"x".repeat(43)}`]) {
      const { code, stderr } = await credentials("set con_1", { env: { AGENT_API_KEY: key }, input: '{"a":"b"}' });
      expect(code).toBe(65);
      expect(stderr).toContain("does not open with this AGENT_API_KEY, and was not changed");
    }
    expect(await readFile(home.path("vault.json"), "utf8")).toBe(before);
    expect((await readdir(home.directory)).sort()).toEqual(["vault.json", "vault.lock", "vault.state"]);
  });

  test("an agent that starts meanwhile waits until the command has released the lock", async () => {
    await credentials("set con_1", { env, input: '{"a":"one"}' });
    const lock = acquireLock(home.path("vault.lock"), home.path("vault.journal"));
    try {
      const agent = await home.start(service.url);
      await eventually("the agent at the lock", async () => {
        const open = await readdir(`/proc/${agent.pid}/fd`).catch(() => []);
        const files = await Promise.all(open.map((fd) => readlink(`/proc/${agent.pid}/fd/${fd}`).catch(() => "")));
        return files.includes(home.path("vault.lock"));
      });
    } finally {
      lock.release();
    }
    await eventually("the registration", () => service.registrations.length === 1);
  });

  test("list sends nothing to the noted address of an agent that died", async () => {
    const agent = await running();
    agent.kill("SIGKILL");
    await agent.exited;
    let asked = 0;
    const impostor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(++asked)) });
    try {
      await writeFile(home.path("vault.admin-url"), `http://127.0.0.1:${impostor.port}\n`);
      expect((await credentials("list")).code).toBe(69);
      expect(asked).toBe(0);
    } finally {
      await impostor.stop(true);
    }
  });

  test("set reports a directory that cannot be written", async () => {
    await writeFile(home.path("file"), "");
    const there = { ...env, VAULT_PATH: home.path("file/vault.json") };
    const { code, stderr } = await credentials("set con_1", { env: there, input: '{"a":"b"}' });
    expect(code).toBe(73);
    expect(stderr).toContain("let VAULT_PATH name a file");
    await rm(home.path("file"));
  });

  test("list reports a wrong configuration, without the key", async () => {
    const wrong = { AGENT_API_KEY: "canary-key" };
    const { code, stderr } = await credentials("list", { env: wrong });
    expect(code).toBe(78);
    expect(stderr).toContain("AGENT_API_KEY must have the form");
    expect(stderr).not.toContain("canary");
  });
});

test("credentials list names the connections of a lost vault, to deliver again", async () => {
  const env = { AGENT_API_KEY: FAKE_AGENT_KEY };
  await credentials("set con_7", { env, input: '{"a":"b"}' });
  const vault = z.looseObject({}).parse(JSON.parse(await home.text("vault.json")));
  await writeFile(home.path("vault.json"), JSON.stringify({ ...vault, salt: Buffer.alloc(16, 7).toString("base64") }));
  const agent = await home.start(service.url);
  await eventually("the new key", () => agent.log().includes("a new public key"));
  const listing = await listed();
  expect(listing.lost?.connectionIds).toEqual(["con_7"]);
  expect(agent.log()).toContain(`a new public key","fingerprint":"${listing.fingerprint}"`);
  expect((await credentials("list")).stdout).toContain("Deliver again: con_7");
});

describe("before the agent's first start", () => {
  const env = { AGENT_API_KEY: FAKE_AGENT_KEY };

  test.each([
    [["credentials", "list"]],
    [["credentials", "list", "--json"]],
    [["credentials", "delete", "con_1"]],
    [["fingerprint"]],
  ])("%p creates nothing, and says that there is no vault yet", async (args) => {
    const { code, stdout, stderr } = await runCommand(home, args, { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`there is no vault at ${home.path("vault.json")} yet: start the agent once`);
    expect(await readdir(home.directory)).toEqual([]);
  });
});
