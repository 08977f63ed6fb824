import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { canonicalTarget, credentialTargetSchema } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import { targetFor } from "../support/bound-credential.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { AgentHome } from "./agent-process.ts";
import { runCommand, typeAtCommand } from "./command-process.ts";

const KEY = { AGENT_API_KEY: FAKE_AGENT_KEY };

let service: FakeService;
let home: AgentHome;
let peer: HttpPeer;
beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
  peer = startHttpPeer();
});
afterEach(async () => {
  await home.remove();
  await Promise.all([service.stop(), peer.stop()]);
  expect(service.violations).toEqual([]);
});

const config = () => ({ baseUrl: peer.url, authType: "bearer" });
const target = () => targetFor("http", config());
const text = () => JSON.stringify(target());
const command = (args: string[], options?: Parameters<typeof runCommand>[2]) =>
  runCommand(home, ["credentials", ...args], options);
const set = (...args: string[]) => command(["set", "con_1", "--name", "token", ...args], { input: "canary-tok-5e" });

async function start(): Promise<void> {
  const agent = await home.start(service.url, { env: { HEARTBEAT_INTERVAL: "80", ALLOW_PRIVATE_NETWORK: "true" } });
  await agent.adminUrl();
  await eventually("the first heartbeat", () => service.heartbeats.length > 0);
}

/** Runs a job that needs the credential. */
async function job(baseUrl = peer.url) {
  const connection = { id: "con_1", type: "http" as const, config: { ...config(), baseUrl } };
  const { id } = service.enqueue({ action: "http.request", connection, params: {} });
  const [result] = await eventually("the result", () => service.resultsOf(id).length > 0 && service.resultsOf(id));
  return result;
}

const digest = (of: CredentialTarget) => createHash("sha256").update(canonicalTarget(of)).digest("base64url");
const reported = () => service.heartbeats.at(-1)?.credentials;
const listingSchema = z.object({
  credentials: z.array(
    z.object({
      target: credentialTargetSchema.optional(),
      unbound: z.literal(true).optional(),
      wanted: credentialTargetSchema.optional(),
    }),
  ),
});
const listed = async (env: Record<string, string> = {}) =>
  listingSchema.parse(JSON.parse((await command(["list", "--json"], { env })).stdout)).credentials;

describe("credentials with a running agent", () => {
  test("a refused job leads to the bind command, after which jobs work and the service gets the target's digest", async () => {
    await start();
    await set();
    expect(await job()).toMatchObject({ error: { code: "credential_unbound" } });
    expect(peer.requests).toEqual([]);
    expect(await listed()).toEqual([{ unbound: true, wanted: target() }]);
    expect((await command(["list"])).stdout).toContain(
      `con_1: unbound; a job asked for http, baseUrl "${peer.url}", authType "bearer", verifySsl true: bellhop-agent credentials bind con_1\n`,
    );

    const asked = await command(["bind", "con_1"]);
    expect(asked).toMatchObject({ code: 64, stdout: "" });
    for (const part of [peer.url, "nothing was changed", "--yes --target '[{"]) expect(asked.stderr).toContain(part);
    expect(await listed()).toMatchObject([{ unbound: true }]);

    const agreed = await command(["bind", "con_1", "--yes"]);
    expect(agreed).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("does not agree to what a job asked for"),
    });
    expect(await listed()).toMatchObject([{ unbound: true }]);

    const bound = await command(["bind", "con_1", "--yes", "--target", JSON.stringify(target())]);
    expect(bound).toEqual({
      code: 0,
      stdout:
        `Bound con_1.\nIt is used for: http, baseUrl "${peer.url}", authType "bearer", verifySsl true.\n` +
        "The agent has it and reports it to the service now.\n",
      stderr: "",
    });
    expect(await listed()).toEqual([{ target: target() }]);
    await eventually("the heartbeat", () => reported()?.[0]?.target === digest(target()));
    expect(await job()).toMatchObject({ status: "succeeded" });
    expect(peer.requests[0]?.headers.get("Authorization")).toBe("Bearer canary-tok-5e");
  });

  test("bind in a terminal shows the old and the new target, and binds only after the answer yes", async () => {
    await start();
    await set("--target", text());
    await job("http://127.0.0.1:9/other");
    const bind = (answer: string) =>
      typeAtCommand(home, ["credentials", "bind", "con_1"], [{ after: "(yes or no) ", type: `${answer}\r` }]);
    const refused = await bind("no");
    expect(refused.code).toBe(1);
    for (const part of [peer.url, "http://127.0.0.1:9/other", "A job asked for it", "nothing was changed"]) {
      expect(refused.screen).toContain(part);
    }
    expect(await listed()).toMatchObject([{ target: target() }]);
    expect((await bind("yes")).code).toBe(0);
    expect(await listed()).toEqual([
      { target: targetFor("http", { ...config(), baseUrl: "http://127.0.0.1:9/other" }) },
    ]);
  });

  test("set stores a credential with its target, and a later set offers that target again", async () => {
    await start();
    const stored = await set("--target", text());
    expect(stored.stdout).toContain(`It is used for: http, baseUrl "${peer.url}"`);
    expect(await job()).toMatchObject({ status: "succeeded" });
    const { code, screen } = await typeAtCommand(
      home,
      ["credentials", "set", "con_1", "--name", "token"],
      [
        { after: "token (nothing is shown): ", type: "canary-tok-6f\r" },
        { after: "(yes or no) ", type: "yes\r" },
      ],
    );
    expect({ code, screen }).toMatchObject({ code: 0 });
    expect(await job()).toMatchObject({ status: "succeeded" });
    expect(peer.requests.at(-1)?.headers.get("Authorization")).toBe("Bearer canary-tok-6f");
  });

  test("set --yes keeps the target, even after a job of an edited connection asked for another one", async () => {
    await start();
    await set("--target", text());
    expect(await job(`${peer.url}/elsewhere`)).toMatchObject({ error: { code: "target_changed" } });
    expect(await set("--yes")).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject([{ target: target() }]);
    expect(peer.requests).toEqual([]);
  });

  test("list escapes control characters of a target", async () => {
    await start();
    const evil = [{ type: "custom", fields: { a: "x\u202egnp.\u009b2J\nb" } }];
    await set("--target", JSON.stringify(evil));
    const { stdout } = await command(["list"]);
    expect(stdout).toContain('con_1: custom, fields {"a":"x\\u{202e}gnp.\\u{9b}2J\\nb"}\n');
  });
});

describe("credentials without a running agent", () => {
  test("set and bind write the vault directly, and the next agent uses the credential", async () => {
    await command(["set", "con_1", "--name", "token"], { env: KEY, input: "canary-tok-5e" });
    const unknown = await command(["bind", "con_1"], { env: KEY });
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain("has not seen the target of con_1 yet. Run the connection's test first");
    const bound = await command(["bind", "con_1", "--yes", "--target", text()], { env: KEY });
    expect(bound).toMatchObject({ code: 0, stderr: "" });
    expect(bound.stdout).toContain("No agent runs: the agent reports it to the service when it starts.");
    expect(await listed(KEY)).toEqual([{ target: target() }]);
    for (const more of [[], ["--yes"], ["--target", text()]]) {
      const again = await command(["bind", "con_1", ...more], { env: KEY });
      expect([more, again.code, again.stderr]).toEqual([more, 0, ""]);
      expect(again.stdout).toContain(`already bound to this target, nothing was changed: http, baseUrl "${peer.url}"`);
    }
    await start();
    expect(reported()?.[0]?.target).toBe(digest(target()));
    expect(await job()).toMatchObject({ status: "succeeded" });
  });

  test("set refuses secrets that its target does not take", async () => {
    const args = ["set", "con_1", "--name", "apiKey", "--target", text()];
    const { code, stderr } = await command(args, { env: KEY, input: "canary-tok-5e" });
    expect(code).toBe(65);
    expect(stderr).toContain("a connection of type http with authType bearer takes token, and nothing else");
    expect(stderr).not.toContain("canary");
  });

  test.each([false, true])(
    "bind refuses a target that does not take the stored secrets (agent runs: %p)",
    async (runs) => {
      await command(["set", "con_1", "--name", "apiKey"], { env: KEY, input: "canary-tok-5e" });
      if (runs) await start();
      const { code, stderr } = await command(["bind", "con_1", "--yes", "--target", text()], { env: KEY });
      expect(code).toBe(1);
      expect(stderr).toContain("a connection of type http with authType bearer takes token, and nothing else");
      expect(stderr).not.toContain("canary");
      expect(await listed(KEY)).toEqual([{ unbound: true }]);
    },
  );

  test("bind of a missing credential names the command that lists credentials", async () => {
    await command(["set", "con_1", "--name", "token"], { env: KEY, input: "canary-tok-5e" });
    const missing = await command(["bind", "con_2", "--yes", "--target", text()], { env: KEY });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("no credential for con_2: bellhop-agent credentials list");
  });

  test("set refuses a target whose kubeconfig does not exist, and stores nothing", async () => {
    // Not below the agent's directory, which is closed to jobs.
    const kubeconfigPath = `/tmp/${crypto.randomUUID()}`;
    const kubernetes = JSON.stringify([{ type: "kubernetes", kubeconfigPath }]);
    const args = ["set", "con_1", "--name", "token", "--target", kubernetes];
    const { code, stderr } = await command(args, { env: KEY, input: "canary" });
    expect(code).toBe(1);
    expect(stderr).toContain(`${kubeconfigPath} does not exist on the agent's host`);
    expect(await listed(KEY)).toEqual([]);
  });
});

describe("a credential whose server is named by a kubeconfig of the host", () => {
  let directory: string;
  beforeEach(async () => {
    // Open to jobs, unlike the agent's directory.
    directory = await mkdtemp(join(tmpdir(), "kubeconfig-"));
    await chmod(directory, 0o755);
  });
  afterEach(() => rm(directory, { recursive: true }));

  const file = () => join(directory, "kubeconfig");
  const kubernetes = () => JSON.stringify(targetFor("kubernetes", { kubeconfigPath: file() }));
  const serverIs = (server: string) =>
    writeFile(
      file(),
      JSON.stringify({
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "k" } }],
        clusters: [{ name: "k", cluster: { server } }],
      }),
    );
  const [before, after] = ["https://bound.example/", "https://edited.example/"];
  const place = (server: string) => `server "${server}", authority "those of the agent's host"`;

  test.each([false, true])(
    "bind shows the bound server and the present one before it asks (agent runs: %p)",
    async (runs) => {
      await serverIs(before);
      await command(["set", "con_1", "--name", "token", "--target", kubernetes()], {
        env: KEY,
        input: "canary-tok-5e",
      });
      if (runs) await start();
      const same = await command(["bind", "con_1"], { env: KEY });
      expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing was changed") });

      await serverIs(after);
      const asked = await command(["bind", "con_1"], { env: KEY });
      expect(asked.code).toBe(64);
      expect(asked.stderr).toContain(`On this agent that was: ${place(before)}\n`);
      expect(asked.stderr).toContain(`On this agent that is now: ${place(after)}\n`);
      const { code, screen } = await typeAtCommand(
        home,
        ["credentials", "bind", "con_1"],
        [{ after: "(yes or no) ", type: "no\r" }],
        KEY,
      );
      expect(code).toBe(1);
      for (const server of [before, after]) expect(screen).toContain(`server "${server}"`);
      expect((await command(["list"], { env: KEY })).stdout).toContain(`; on this agent: ${place(before)}\n`);

      expect((await command(["bind", "con_1", "--yes"], { env: KEY })).code).toBe(0);
      expect((await command(["list"], { env: KEY })).stdout).toContain(`; on this agent: ${place(after)}\n`);
    },
  );
});
