import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { buildAgent } from "../../scripts/build-agent.ts";
import { ROOT } from "../../scripts/paths.ts";
import { eventually } from "../support/eventually.ts";
import { filesBelow } from "../support/export-directory.ts";
import { FULL } from "../support/full.ts";
import { startOtlpReceiver, treeOf } from "../support/otlp-receiver.ts";
import { addOldEntry, manifestOf } from "../support/record-export.ts";

/** `npm start` as a person uses it: the printed lines work when they are pasted, and a second start has the data. */
describe("npm start", () => {
  let stateDirectory: string;

  beforeAll(async () => {
    stateDirectory = await mkdtemp(join(tmpdir(), "bellhop-start-"));
  });
  afterAll(() => rm(stateDirectory, { recursive: true, force: true }));

  test("prints lines that work unchanged; Ctrl-C stops everything; a second start keeps the data", async () => {
    const first = await start();
    expect(await (await fetch(first.url())).text()).toContain('<div id="root">');
    expect(first.printed()).toMatch(/^ +jobs +run as .* \(isolation: none\)$/mu);
    const [ring, look] = first.curlLines();
    expect(await shell(ring ?? "")).toContain('"status":"running"');
    const execution = await eventually("the example to succeed", async () => {
      const list = listSchema.parse(JSON.parse(await shell(look ?? ""))).data;
      return list.find((candidate) => candidate.status === "succeeded");
    });
    expect((await stat(join(stateDirectory, "settings.json"))).mode & 0o777).toBe(0o600);
    expect(first.printed()).toContain("The first time, enter the bootstrap token (below)");
    const token = /admin token\s+(\S+)/u.exec(first.printed())?.[1] ?? "";
    const administrator = { email: "ada@example.com", name: "Ada", role: "admin", password: "correct horse battery" };
    const made = await fetch(`${first.url()}/api/v1/automation/users`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(administrator),
    });
    expect(made.status).toBe(201);
    const envFile = join(stateDirectory, "agent", "agent.env");
    expect((await stat(envFile)).mode & 0o777).toBe(0o600);
    const report = await shell(`'${await buildAgent()}' doctor --env-file '${envFile}'`);
    expect(report).toMatch(/^ok +key +the service accepts AGENT_API_KEY/mu);
    expect(report).toMatch(/^ok +agent +an agent runs on this vault/mu);
    expect(await first.stop("SIGINT")).toBe(0);
    expect(await isServed(first.url())).toBe(false);

    const second = await start();
    expect(second.printed()).toContain("Sign in with your account.");
    expect(second.printed()).not.toContain("The first time");
    const [, lookAgain] = second.curlLines();
    const kept = listSchema.parse(JSON.parse(await shell(lookAgain ?? ""))).data;
    expect(kept.map((each) => each.id)).toEqual([execution.id]);
    expect(await second.stop("SIGTERM")).toBe(0);
  });

  test("creates an admin token when its setting is empty", async () => {
    const run = await start({
      BELLHOP_LOCAL_AGENT: "off",
      BOOTSTRAP_ADMIN_TOKEN: "",
      BELLHOP_STATE: join(stateDirectory, "third"),
    });
    const [line] = run.curlLines();
    expect(await shell(line ?? "")).toContain('"success":true');
    expect(await run.stop("SIGTERM")).toBe(0);
  });

  test("with BELLHOP_LOCAL_AGENT=off starts the service only, empty, with the given token", async () => {
    const run = await start({
      BELLHOP_LOCAL_AGENT: "off",
      BOOTSTRAP_ADMIN_TOKEN: "a-token-of-my-own",
      BELLHOP_STATE: join(stateDirectory, "other"),
    });
    const headers = { Authorization: "Bearer a-token-of-my-own" };
    expect((await fetch(`${run.url()}/readyz`)).status).toBe(200);
    for (const kind of ["agents", "connections", "workflows", "executions"]) {
      const answer = await (await fetch(`${run.url()}/api/v1/automation/${kind}`, { headers })).json();
      expect(answer).toEqual({ success: true, data: [], nextCursor: null });
    }
    expect(await run.stop("SIGTERM")).toBe(0);
  });

  test("names a misconfigured notification channel, and no unconfigured one", async () => {
    const run = await start({
      BELLHOP_LOCAL_AGENT: "off",
      BELLHOP_STATE: join(stateDirectory, "channels"),
      NOTIFY_WEBHOOK_SECRET: "whsec_short",
    });
    const complaints = await eventually("an error message", () => run.complaints().length > 0 && run.complaints());
    expect(complaints).toEqual([
      expect.stringContaining("the channel webhook cannot be used: NOTIFY_WEBHOOK_SECRET must be whsec_"),
    ]);
    expect(await run.stop("SIGTERM")).toBe(0);
  });

  test("passes the deployment's settings to the service, which refuses those that contradict each other", async () => {
    const run = await start({
      BELLHOP_LOCAL_AGENT: "off",
      BELLHOP_STATE: join(stateDirectory, "settings"),
      OIDC_ISSUER: "https://issuer.example",
    });
    const ready = await fetch(`${run.url()}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain("OIDC_CLIENT_ID");
    expect(await run.stop("SIGTERM")).toBe(0);
  });

  test.skipIf(!FULL)(
    "stores old records in the directory of RETENTION_EXPORT_DIRECTORY before it deletes them",
    async () => {
      const state = join(stateDirectory, "exporting");
      const directory = join(stateDirectory, "records");
      await mkdir(directory, { mode: 0o700 });
      const run = await start({
        BELLHOP_LOCAL_AGENT: "off",
        BELLHOP_STATE: state,
        RETENTION_EXPORT_DIRECTORY: directory,
      });
      expect((await stat(join(state, "sockets/exports"))).mode & 0o777).toBe(0o600);
      addOldEntry(join(state, "bellhop.db"));
      await eventually("the record", async () => manifestOf(await filesBelow(directory), "audit").length > 0, 120_000);
      expect(await run.stop("SIGTERM")).toBe(0);
      expect(existsSync(join(state, "sockets/exports"))).toBe(false);
    },
    180_000,
  );

  test.skipIf(!FULL)(
    "sends the trace of a run in the minute after its end",
    async () => {
      const receiver = startOtlpReceiver();
      const run = await start({
        BELLHOP_STATE: join(stateDirectory, "traced"),
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      });
      const [ring] = run.curlLines();
      expect(await shell(ring ?? "")).toContain('"success":true');
      await eventually("the spans", () => receiver.named("running").length > 0, 120_000);
      expect(receiver.problems).toEqual([]);
      expect(Object.values(treeOf(receiver.spans))).toHaveLength(1);
      expect(await run.stop("SIGTERM")).toBe(0);
      await receiver.stop();
    },
    180_000,
  );

  test("names a port that is taken, and what to do", async () => {
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const child = spawn({ PORT: String(other.port) });
    expect(await child.exited).toBe(1);
    expect(await new Response(child.stderr).text()).toContain(`port ${other.port} of 127.0.0.1 is taken`);
    await other.stop(true);
  });

  function spawn(env: Record<string, string>) {
    return Bun.spawn([process.execPath, join(ROOT, "scripts/start.ts")], {
      env: { ...process.env, PORT: "0", BELLHOP_STATE: stateDirectory, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  async function start(env: Record<string, string> = {}) {
    const child = spawn(env);
    let printed = "";
    void (async () => {
      for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
    })();
    let complained = "";
    void (async () => {
      for await (const chunk of child.stderr) complained += new TextDecoder().decode(chunk);
    })();
    await eventually("the printed instructions", () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${printed}`);
      return printed.includes("Ctrl-C");
    });
    return {
      printed: () => printed,
      curlLines: () => printed.split("\n").filter((line) => line.trim().startsWith("curl ")),
      complaints: () => complained.split("\n").filter((line) => line.startsWith("bellhop: ")),
      url: () => /http:\/\/127\.0\.0\.1:\d+/u.exec(printed)?.[0] ?? "",
      stop: async (signal: "SIGINT" | "SIGTERM") => {
        child.kill(signal);
        return child.exited;
      },
    };
  }
});

const listSchema = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) });

async function shell(line: string): Promise<string> {
  const child = Bun.spawn(["sh", "-c", line], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  return new Response(child.stdout).text();
}

async function isServed(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}
