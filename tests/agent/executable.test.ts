import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { buildAgent } from "../../scripts/build-agent.ts";
import { boundTo } from "../support/bound-credential.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { onAnyCommandLine } from "../support/processes.ts";
import { AgentHome } from "./agent-process.ts";

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

async function runOnce(args: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([await buildAgent(), ...args], { env, cwd: home.directory, stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
}

const statusSchema = z.object({
  data: z.object({
    agentId: z.string(),
    connected: z.boolean(),
    runningJobs: z.array(z.unknown()),
    unacknowledgedResults: z.number(),
    vault: z.object({ state: z.string(), fingerprint: z.string(), credentials: z.number() }),
  }),
});

describe("the command line", () => {
  test("--version prints the version of package.json", async () => {
    const { version } = z.object({ version: z.string() }).parse(await Bun.file("package.json").json());
    expect(await runOnce(["--version"])).toEqual({ code: 0, stdout: `bellhop-agent ${version}\n`, stderr: "" });
  });

  test("--help names docs/design/agent-protocol.md#configuration", async () => {
    const { code, stdout } = await runOnce(["--help"]);
    expect(code).toBe(0);
    const specified =
      "AGENT_API_URL AGENT_API_KEY AGENT_NAME POLL_INTERVAL HEARTBEAT_INTERVAL MAX_CONCURRENT_JOBS ADMIN_PORT ADMIN_TOKEN VAULT_PATH LOG_LEVEL ALLOW_PRIVATE_NETWORK ALLOW_OS_RESTART HTTPS_PROXY";
    for (const name of specified.split(" ")) expect(stdout).toContain(`  ${name}`);
  });

  test.each([
    [["start"], "unknown command: start"],
    [["run", "fast"], "unknown command: run fast"],
    [["docter", "--json"], "unknown command: docter --json. Did you mean doctor?"],
    [["--verbose"], "unknown option: --verbose"],
    [["--hepl"], "unknown option: --hepl. Did you mean --help?"],
    [["--help", "doctor"], "unknown command: --help doctor"],
  ])("refuses %p with a hint", async (args, problem) => {
    const { code, stderr } = await runOnce(args);
    expect(code).toBe(64);
    expect(stderr).toBe(`bellhop-agent: ${problem}\nTry bellhop-agent --help.\n`);
  });

  test("suggests service status when status is requested", async () => {
    expect((await runOnce(["status"])).stderr).toContain("Try bellhop-agent service status.");
  });

  test("repeats no word that may be a misplaced key", async () => {
    for (const args of [
      ["bhcanary0000_canary"],
      ["run", "Canary"],
      ["--api-key=canary"],
      ["fingerprint", "bh1canary"],
    ]) {
      const { code, stderr } = await runOnce(args);
      expect(code).toBe(64);
      expect(stderr.toLowerCase()).not.toContain("canary");
      expect(stderr).toMatch(/unknown (?:command|option): /u);
    }
  });

  test("a wrong configuration is refused with every problem, before any file is written", async () => {
    const wrong = {
      AGENT_API_URL: "http://example.com",
      MAX_CONCURRENT_JOBS: "99",
      JOB_USER: "not-there",
      AGENT_RELEASE_KEY: "nope",
      NODE_EXTRA_CA_CERTS: home.path("nope.pem"),
    };
    const { code, stderr } = await runOnce([], wrong);
    expect(code).toBe(78);
    for (const name of ["AGENT_API_KEY", ...Object.keys(wrong)])
      expect(stderr).toMatch(new RegExp(`^bellhop-agent: {3}${name}\\b`, "mu"));
    expect(await readdir(home.directory)).toEqual([]);
  });

  test.each([
    ["that is missing", "nope.pem", "which cannot be read (ENOENT"],
    ["without a certificate", "empty.pem", "which holds no certificate"],
  ])("a NODE_EXTRA_CA_CERTS %s is refused, alone and from a file", async (_what, name, said) => {
    await writeFile(home.path("empty.pem"), "");
    const wrong = { AGENT_API_URL: service.url, AGENT_API_KEY: FAKE_AGENT_KEY, VAULT_PATH: home.path("vault.json") };
    const lines = Object.entries({ ...wrong, NODE_EXTRA_CA_CERTS: home.path(name) }).map((pair) => pair.join("="));
    await writeFile(home.path("agent.env"), lines.join("\n"), { mode: 0o600 });
    for (const run of [
      runOnce([], { ...wrong, NODE_EXTRA_CA_CERTS: home.path(name) }),
      runOnce(["run", "--env-file", home.path("agent.env")]),
    ]) {
      const { code, stderr } = await run;
      expect(code).toBe(78);
      expect(stderr).toContain(`NODE_EXTRA_CA_CERTS names ${home.path(name)}, ${said}`);
    }
  });

  test("a taken ADMIN_PORT is refused with advice", async () => {
    const { code, stderr } = await runOnce([], {
      AGENT_API_URL: service.url,
      AGENT_API_KEY: FAKE_AGENT_KEY,
      VAULT_PATH: home.path("vault.json"),
      ADMIN_PORT: new URL(service.url).port,
    });
    expect(code).toBe(78);
    expect(stderr).toContain("is taken, perhaps by another agent: set ADMIN_PORT to a free port");
  });

  test("a directory that cannot hold the vault is refused with advice", async () => {
    await writeFile(home.path("file"), "");
    const env = { AGENT_API_URL: service.url, AGENT_API_KEY: FAKE_AGENT_KEY, ADMIN_PORT: "0" };
    const { code, stderr } = await runOnce(["run"], { ...env, VAULT_PATH: home.path("file/vault.json") });
    expect(code).toBe(73);
    expect(stderr).toContain("let VAULT_PATH name a file in a directory that this user may write to");
  });

  test("a vault that this user may not read or that is a directory is refused, not moved aside", async () => {
    await Bun.write(home.path("vault.json/keep"), "");
    const env = { AGENT_API_URL: service.url, AGENT_API_KEY: FAKE_AGENT_KEY, ADMIN_PORT: "0" };
    const { code, stderr } = await runOnce(["run"], { ...env, VAULT_PATH: home.path("vault.json") });
    expect(code).toBe(73);
    expect(stderr).toContain("cannot read the vault");
    expect(await readdir(home.path("vault.json"))).toEqual(["keep"]);
  });
});

test("the agent loads no .env and no bunfig.toml from its working directory", async () => {
  await writeFile(home.path(".env"), "AGENT_NAME=from-dotenv\nAGENT_API_KEY=x\nNODE_TLS_REJECT_UNAUTHORIZED=0\n");
  await writeFile(home.path("bunfig.toml"), 'preload = ["./evil.js"]\n');
  await writeFile(home.path("evil.js"), `require("node:fs").writeFileSync(${JSON.stringify(home.path("loaded"))}, "")`);
  await home.start(service.url);
  await eventually("the registration", () => service.registrations.length === 1);
  expect(service.registrations[0]?.name).not.toBe("from-dotenv");
  expect(await readdir(home.directory)).not.toContain("loaded");
});

test("the agent registers, runs a job, serves its status and ends", async () => {
  const agent = await home.start(service.url, { env: { AGENT_NAME: "rack 7", ADMIN_TOKEN: "0123456789abcdef0123" } });
  const params = { script: 'echo "hello $WHO"; echo problem >&2; exit 3' };
  const { id } = service.enqueue({ params, values: { WHO: "world" } });
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(service.resultsOf(id)).toMatchObject([
    { status: "failed", output: { stdout: "hello world\n", stderr: "problem\n", exitCode: 3 }, ack: "accepted" },
  ]);
  expect(service.registrations[0]).toMatchObject({
    name: "rack 7",
    os: "linux",
    maxConcurrentJobs: 5,
    pollIntervalSeconds: 0.1,
    features: ["namedValues", "boundCredentials", "boundWorkflows", "targets"],
  });
  expect(service.registrations[0]?.capabilities).toContain("script");
  expect(service.registrations[0]?.actions).toEqual(expect.arrayContaining(["script.bash", "database.executeQuery"]));

  const url = await agent.adminUrl();
  const headers = { Authorization: "Bearer 0123456789abcdef0123" };
  const status = statusSchema.parse(await (await fetch(`${url}/v1/status`, { headers })).json()).data;
  expect(status).toMatchObject({
    agentId: service.agentId,
    connected: true,
    runningJobs: [],
    vault: { state: "open" },
  });
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
  expect(metrics).toContain('bellhop_agent_jobs_total{status="failed"} 1');
  expect(metrics).toMatch(/^# TYPE bellhop_agent_polls_total counter$/mu);
  agent.kill("SIGTERM");
  expect(await agent.exited).toBe(0);
});

test("a stored credential is reported to the service immediately, and works for jobs", async () => {
  const agent = await home.start(service.url, {
    env: { HEARTBEAT_INTERVAL: "80", ADMIN_TOKEN: "0123456789abcdef0123" },
  });
  await eventually("the first heartbeat", () => service.heartbeats.length === 1);
  const response = await fetch(`${await agent.adminUrl()}/v1/credentials/con_1`, {
    method: "PUT",
    headers: { Authorization: "Bearer 0123456789abcdef0123", "Content-Type": "application/json" },
    body: JSON.stringify(boundTo("custom", { fields: {} }, { API_TOKEN: "canary-value-1" })),
  });
  expect(response.status).toBe(201);
  await eventually("the next heartbeat", () => service.heartbeats.length === 2);
  expect(service.heartbeats[1]?.credentials).toMatchObject([{ connectionId: "con_1", version: 0 }]);
  const { id } = service.enqueue({
    connection: { id: "con_1", type: "custom", config: { fields: {} } },
    params: { script: 'test "$API_TOKEN" = canary-value-1 && echo "it is $API_TOKEN"' },
  });
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(service.resultsOf(id)[0]).toMatchObject({ status: "succeeded", output: { stdout: "it is ***\n" } });
});

test("a vault of another key leads to a new key pair, and the service gets it", async () => {
  const first = await home.start(service.url);
  await eventually("the vault", async () => (await home.text("vault.json")) !== "");
  first.kill("SIGKILL");
  await first.exited;
  // The header's prefix alone names the key; only the derivation shows that it is another key.
  const vault = z.looseObject({ salt: z.string() }).parse(JSON.parse(await home.text("vault.json")));
  await writeFile(home.path("vault.json"), JSON.stringify({ ...vault, salt: Buffer.alloc(16, 7).toString("base64") }));
  await home.start(service.url);
  await eventually("a registration with the new key", () => service.registrations.length === 3);
  const [old, stale, fresh] = service.registrations.map(({ publicKey }) => publicKey.x);
  expect(stale).toBe(old ?? "");
  expect(fresh).not.toBe(old);
});

describe("a secret", () => {
  const canary = "cAnArY+/'\"val\\ue-93b1";

  test("is in no log, no file in plain text, no command line and no result", async () => {
    const token = "admin-canary-0123456789";
    const forms = [canary, "second-canary-77", token, FAKE_AGENT_KEY, JSON.stringify(canary).slice(1, -1)];
    forms.push(Buffer.from(canary).toString("base64").replace(/=+$/u, ""));
    const agent = await home.start(service.url, { env: { ADMIN_TOKEN: token } });
    const url = await agent.adminUrl();
    await fetch(`${url}/v1/credentials/con_1`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(boundTo("custom", { fields: {} }, { SECRET: canary, OTHER: "second-canary-77" })),
    });
    const connection = { id: "con_1", type: "custom" as const, config: { fields: {} } };
    const script = `
      echo plain "$SECRET"; printf %s "$SECRET" | base64 -w0; echo; printf 'user:%s' "$SECRET" | base64 -w0; echo
      printf '{"a":"%s"}' "$OTHER" >&2; echo "key $AGENT_API_KEY token $ADMIN_TOKEN"
      a=${FAKE_AGENT_KEY.slice(0, 20)}; b=${FAKE_AGENT_KEY.slice(20)}; echo "found $a$b"; sleep 0.3; exit 1`;
    const { id } = service.enqueue({ connection, params: { script } });
    await eventually("the job", () => agent.log().includes('"a job begins"'));
    expect(forms.filter(onAnyCommandLine)).toEqual([]);
    await eventually("the result", () => service.resultsOf(id).length === 1);
    agent.kill("SIGTERM");
    await agent.exited;

    const files: string[] = [];
    for (const entry of await readdir(home.directory, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) files.push(await readFile(`${entry.parentPath}/${entry.name}`, "latin1"));
    }
    const places = { log: agent.log(), result: JSON.stringify(service.results), files: files.join("\n") };
    for (const [place, text] of Object.entries(places)) {
      for (const form of forms)
        expect({ place, form, found: text.includes(form) }).toEqual({ place, form, found: false });
    }
    expect(service.resultsOf(id)[0]?.output?.["stdout"]).toStartWith("plain ***\n***");
    // Neither the key nor the token is in the environment of the agent's child processes.
    expect(service.resultsOf(id)[0]?.output?.["stdout"]).toContain("key  token \nfound ***\n");
  });

  test("that the agent generates is shown as the path of its file only", async () => {
    const agent = await home.start(service.url);
    await agent.adminUrl();
    const token = (await home.text("admin-token")).trim();
    expect(token).toHaveLength(43);
    expect(agent.log()).toContain(home.path("admin-token"));
    expect(agent.log()).not.toContain(token);
    for (const name of ["admin-token", "vault.journal"]) {
      expect((await stat(home.path(name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(home.path("vault.state"))).mode & 0o777).toBe(0o700);
  });
});

test("log lines are JSON with time, level and message, and LOG_LEVEL leaves out lower levels", async () => {
  const lineSchema = z.looseObject({ at: z.iso.datetime(), level: z.enum(["INFO", "WARNING"]), message: z.string() });
  const agent = await home.start(service.url, { env: { LOG_LEVEL: "INFO" } });
  await eventually("the registration", () => agent.log().includes('"registered"'));
  // Two agents under one key would supersede each other.
  agent.kill("SIGTERM");
  await agent.exited;
  for (const line of agent.log().trim().split("\n")) lineSchema.parse(JSON.parse(line));
  const quiet = await home.start(service.url, { env: { LOG_LEVEL: "ERROR", VAULT_PATH: home.path("other.json") } });
  await eventually("its registration", () => service.registrations.length === 2);
  quiet.kill("SIGTERM");
  await quiet.exited;
  expect(quiet.log()).toBe("");
});
