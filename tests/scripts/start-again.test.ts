import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, readlinkSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { endLeftBehind } from "../../scripts/local/children.ts";
import { ROOT } from "../../scripts/paths.ts";
import { AgentClient } from "../support/agent-client.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { isRunning } from "../support/processes.ts";

/** `npm start` after its processes ended unexpectedly. */
describe.skipIf(process.platform !== "linux")("npm start (leftover processes are found in /proc: Linux)", () => {
  const runs: Bun.Subprocess[] = [];
  const directories: string[] = [];

  afterAll(async () => {
    for (const run of runs) run.kill("SIGTERM");
    await Promise.all(runs.map((run) => run.exited));
    for (const directory of directories) {
      // Ends processes that a failed test has left.
      await endLeftBehind(directory);
      await rm(directory, { recursive: true, force: true });
    }
  });

  test("ends workerd and the agent of a killed start, and uses the same port and objects", async () => {
    const stateDirectory = await newState();
    const port = String(await freePort());
    const first = await start({ BELLHOP_STATE: stateDirectory, PORT: port });
    const left = await childrenIn(stateDirectory);
    expect(left.map(programOf).sort()).toEqual([expect.stringMatching(/^bellhop-agent/u), "workerd"]);
    const [service, agent] = ["workerd", "bellhop-agent"].map(
      (name) => left.find((child) => programOf(child).startsWith(name))?.pid ?? 0,
    );
    first.child.kill("SIGKILL");
    await first.child.exited;
    for (const { pid } of left) expect(isRunning(pid)).toBe(true);

    const second = await start({ BELLHOP_STATE: stateDirectory, PORT: port });
    expect(left.filter(({ pid }) => isRunning(pid)).map(programOf)).toEqual([]);
    // On a busy machine it may also print what it waits for.
    expect(second.complaints().filter((line) => !line.includes("waiting for"))).toEqual([
      `bellhop: a former run was killed and had left its service (pid ${service}) and its agent (pid ${agent}) behind: they are ended.`,
    ]);
    const now = await childrenIn(stateDirectory);
    expect(now.map(programOf).filter((name) => name === "workerd")).toHaveLength(1);
    expect(await second.ring()).toContain('"status":"running"');

    second.child.kill("SIGTERM");
    expect(await second.child.exited).toBe(0);
    expect(await Bun.file(join(stateDirectory, "children.json")).exists()).toBe(false);
  });

  test("has a working agent again after its agent was deleted or its agent's key was regenerated", async () => {
    const stateDirectory = await newState();
    const env = { BELLHOP_STATE: stateDirectory };
    const first = await start(env);
    const { id } = await agentOf(stateDirectory);
    expect(await manage(first, "POST", `/agents/${id}/regenerate-key`)).toBe(201);
    await eventually(
      "the line about the key",
      () => first.complaints().some((line) => line.includes("start again: the agent")),
      60_000,
    );
    expect(first.complaints()).toHaveLength(1);
    await end(first);

    const second = await start(env);
    expect(second.complaints()).toEqual([
      "bellhop: the key of its agent had been regenerated, so the agent has a new one: deliver its credentials again.",
    ]);
    expect((await agentOf(stateDirectory)).id).toBe(id);
    await expectWork(second);

    // Another person runs the agent elsewhere with a new key, and keeps it.
    const theirs = new AgentClient({ url: second.url() }, await newKeyOf(second, id));
    await theirs.register();
    await end(second);
    const apart = await start(env);
    expect(apart.complaints()).toEqual([
      "bellhop: its agent runs with another key elsewhere, so a new agent was made here.",
    ]);
    const own = (await agentOf(stateDirectory)).id;
    expect(own).not.toBe(id);
    expect(await new AgentClient({ url: apart.url() }, theirs.key).register()).toMatchObject({ agentId: id });
    await expectWork(apart);
    expect(await manage(apart, "DELETE", `/agents/${own}`)).toBeLessThan(300);
    await end(apart);

    const third = await start(env);
    expect(third.complaints()).toEqual([
      "bellhop: its agent had been deleted, so a new agent was made. BELLHOP_LOCAL_AGENT=off starts no agent.",
    ]);
    expect((await agentOf(stateDirectory)).id).not.toBe(own);
    await expectWork(third);
    await end(third);
  }, 180_000);

  describe("while it runs", () => {
    let stateDirectory: string;
    let port: string;
    let run: Run;
    beforeAll(async () => {
      stateDirectory = await newState();
      port = String(await freePort());
      run = await start({ BELLHOP_STATE: stateDirectory, PORT: port, BELLHOP_LOCAL_AGENT: "off" });
    });

    test("a start on a copy of its state ends none of its processes", async () => {
      const children = await childrenIn(stateDirectory);
      const copy = await newState();
      await mkdir(copy, { recursive: true });
      await copyFile(join(stateDirectory, "children.json"), join(copy, "children.json"));
      expect(await endLeftBehind(copy)).toEqual([]);
      expect(children.length).toBeGreaterThan(0);
      for (const { pid } of children) expect(isRunning(pid)).toBe(true);
    });

    test("another start on its state is refused, with any port", async () => {
      const [service] = await childrenIn(stateDirectory);
      for (const requestedPort of [port, "0"]) {
        const second = spawn({ BELLHOP_STATE: stateDirectory, PORT: requestedPort, BELLHOP_LOCAL_AGENT: "off" });
        expect(await second.exited).toBe(1);
        expect(await new Response(second.stderr).text()).toContain(`${stateDirectory} is in use by another npm start.`);
      }
      expect(isRunning(service?.pid ?? 0)).toBe(true);
      expect((await fetch(`${run.url()}/readyz`)).status).toBe(200);
    });

    test("it serves its own copy of the console, because each build replaces dist/console", async () => {
      expect((await fetch(run.url(), { headers: { Accept: "text/html" } })).status).toBe(200);
      const [workerd] = await childrenIn(stateDirectory);
      // workerd keeps the directory open, also when another one has its place.
      const open = await openFilesOf(workerd?.pid ?? 0);
      expect(open).toContain(join(stateDirectory, "console"));
      expect(open.filter((path) => path.startsWith(join(ROOT, "dist/console")))).toEqual([]);
    });
  });

  test("prints only the place of its log and each restart of workerd on the console", async () => {
    const stateDirectory = await newState();
    const run = await start({ BELLHOP_STATE: stateDirectory, BELLHOP_LOCAL_AGENT: "off" });
    const logFile = join(stateDirectory, "service.log");
    expect(run.printed()).toContain(`log           ${logFile}\n`);
    expect(run.printed()).toContain(`releases      ${join(stateDirectory, "downloads")} `);
    expect(run.printed()).toContain(`reference     ${run.url()}/docs `);
    expect((await fetch(`${run.url()}/docs`)).status).toBe(200);
    expect(run.complaints()).toEqual([]);

    const [before] = await childrenIn(stateDirectory);
    process.kill(before?.pid ?? 0, "SIGKILL");
    await eventually("the line about the restart", () => run.complaints().length > 0, 60_000);
    expect(run.complaints()).toEqual([
      `bellhop: the service's workerd ended unexpectedly and was started again; see ${logFile}.`,
    ]);
    const [after] = await childrenIn(stateDirectory);
    expect(after?.pid).not.toBe(before?.pid);
    expect(isRunning(after?.pid ?? 0)).toBe(true);

    const headers = { Authorization: `Bearer ${run.token()}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ name: "web-1", poolId: "web" });
    const made = await fetch(`${run.url()}/api/v1/automation/agents`, { method: "POST", headers, body });
    expect(made.status).toBe(201);
    const line = await eventually("the service's log", async () =>
      (await readFile(logFile, "utf8")).split("\n").find((each) => each.includes('"level":"INFO"')),
    );
    expect(JSON.parse(line)).toEqual(expect.objectContaining({ at: expect.stringMatching(/^\d{4}-.*Z$/u) }));
    expect(run.complaints()).toHaveLength(1);
  });

  type Run = Awaited<ReturnType<typeof start>>;

  async function manage(run: Run, method: string, path: string): Promise<number> {
    const headers = { Authorization: `Bearer ${run.token()}` };
    return (await fetch(`${run.url()}/api/v1/automation${path}`, { method, headers })).status;
  }

  async function newKeyOf(run: Run, id: string): Promise<string> {
    const headers = { Authorization: `Bearer ${run.token()}` };
    const path = `/api/v1/automation/agents/${id}/regenerate-key`;
    const answer = await fetch(`${run.url()}${path}`, { method: "POST", headers });
    return z.object({ data: z.object({ apiKey: z.string() }) }).parse(await answer.json()).data.apiKey;
  }

  async function expectWork(run: Run): Promise<void> {
    await run.ring();
    const headers = { Authorization: `Bearer ${run.token()}` };
    await eventually("the command on the agent", async () => {
      const answer = await fetch(`${run.url()}/api/v1/automation/executions?limit=1`, { headers });
      return (await answer.text()).includes('"status":"succeeded"');
    });
  }

  async function end({ child }: Run): Promise<void> {
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  }

  async function newState(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-start-again-"));
    directories.push(directory);
    return directory;
  }

  function spawn(env: Record<string, string>) {
    const child = Bun.spawn([process.execPath, join(ROOT, "scripts/start.ts")], {
      env: { ...process.env, PORT: "0", ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    runs.push(child);
    return child;
  }

  async function start(env: Record<string, string>) {
    const child = spawn(env);
    const [printed, complained] = [collect(child.stdout), collect(child.stderr)];
    await eventually("the welcome", () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${printed()}${complained()}`);
      return printed().includes("Ctrl-C");
    });
    return {
      child,
      printed,
      complaints: () =>
        complained()
          .split("\n")
          .filter((line) => line !== ""),
      url: () => /http:\/\/127\.0\.0\.1:\d+/u.exec(printed())?.[0] ?? "",
      token: () => /admin token\s+(\S+)/u.exec(printed())?.[1] ?? "",
      ring: async () => {
        const line = printed()
          .split("\n")
          .find((each) => each.trim().startsWith("curl "));
        const shell = Bun.spawn(["sh", "-c", line ?? ""], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
        return new Response(shell.stdout).text();
      },
    };
  }
});

const childrenSchema = z.array(z.object({ pid: z.number() }));
type Child = z.infer<typeof childrenSchema>[number];

/** The recorded processes, once each has its arguments: a process gets them a moment after its start. */
async function childrenIn(stateDirectory: string): Promise<Child[]> {
  const file = join(stateDirectory, "children.json");
  const children = childrenSchema.parse(JSON.parse(await readFile(file, "utf8")));
  await eventually("the processes' names", () => children.every((child) => programOf(child) !== ""));
  return children;
}

const settingsSchema = z.object({ agent: z.object({ id: z.string() }) });

async function agentOf(stateDirectory: string): Promise<{ id: string }> {
  return settingsSchema.parse(JSON.parse(await readFile(join(stateDirectory, "settings.json"), "utf8"))).agent;
}

/** The program that runs, not the recorded one. */
function programOf({ pid }: Child): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0]?.split("/").at(-1) ?? "";
}

async function openFilesOf(pid: number): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  return (await readdir(directory)).map((name) => readlinkSync(join(directory, name)));
}

function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}
