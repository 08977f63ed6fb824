import { afterEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../../scripts/paths.ts";
import { sqldMissing, startOurs } from "../support/database-server.ts";
import { eventually } from "../support/eventually.ts";
import { startSilentPeer } from "../support/silent-peer.ts";

/** `npm start` on another database than its own. */
describe.skipIf(process.platform !== "linux")("npm start (its processes are found in /proc: Linux)", () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test.skipIf(sqldMissing() !== null)(
    "with DATABASE=sqld keeps its data and its secrets in the state directory, and starts a killed sqld again",
    async () => {
      const state = await newState();
      const env = { BELLHOP_STATE: state, DATABASE: "sqld" };
      const first = await start(env);
      expect(first.printed()).toContain(`(sqld, with its files in ${join(state, "sqld")})`);
      const modes = ["sqld", "settings.json", "sqld-key.pem"].map((name) => statSync(join(state, name)).mode & 0o777);
      expect(modes).toEqual([0o700, 0o600, 0o600]);
      const { databaseToken } = await settingsOf(state);
      expect(commands().filter((command) => command.includes(databaseToken))).toEqual([]);
      await first.createAgent("kept");

      const { pid } = await sqldOf(state);
      process.kill(pid, "SIGKILL");
      await eventually("another sqld", async () => (await sqldOf(state)).pid !== pid);
      await eventually("the agents", async () => (await first.agents()).includes('"kept"'));
      expect(first.complaints()).toContain(
        "bellhop: the database (sqld) ended unexpectedly with code 137, and is started again.",
      );
      await first.end();

      const second = await start(env);
      expect(await second.agents()).toContain('"kept"');
      await second.end();
      expect(await refusalOf({ BELLHOP_STATE: state })).toContain(
        "began with sqld, not with Bellhop's own database, and data is not carried over: set DATABASE=sqld, or choose another directory: BELLHOP_STATE=<directory> npm start.",
      );
    },
  );

  test("uses the libSQL server of DATABASE_URL, with DATABASE_AUTH_TOKEN", async () => {
    const server = await startOurs();
    cleanups.push(() => server.dispose());
    const env = { BELLHOP_STATE: await newState(), DATABASE_URL: server.url, DATABASE_AUTH_TOKEN: server.token };
    const run = await start(env);
    expect(run.printed()).toContain(`${server.url} (of DATABASE_URL)`);
    await run.createAgent("elsewhere");
    const { rows } = await server.client().execute("SELECT name FROM agents");
    expect(rows.map((row) => row["name"])).toEqual(["elsewhere"]);
    await run.end();
  });

  test("a new state is bound to a database only when the start succeeds", async () => {
    const server = await startOurs();
    cleanups.push(() => server.dispose());
    const state = { BELLHOP_STATE: await newState() };
    const right = { ...state, DATABASE_URL: server.url, DATABASE_AUTH_TOKEN: server.token };
    const wrong = { ...state, DATABASE_URL: "http://127.0.0.1:1" };
    expect(await refusalOf(wrong)).toStartWith("bellhop: the service did not start: ");
    await (await start(right)).end();
    await server.stop();
    expect(await refusalOf(right)).toStartWith("bellhop: the service did not start: ");
    expect(await refusalOf(wrong)).toContain(`began with the database at ${server.url}, not with`);
  });

  test("stops while its database does not answer, and a new state stays unbound", async () => {
    const silent = startSilentPeer();
    cleanups.push(async () => silent.stop());
    const state = await newState();
    const child = spawn({ BELLHOP_STATE: state, DATABASE_URL: `http://127.0.0.1:${silent.port}` });
    await eventually("a query", () => silent.received !== "");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    expect(statSync(join(state, "settings.json"), { throwIfNoEntry: false })).toBeUndefined();
  });

  test("refuses an unknown DATABASE before it makes anything", async () => {
    const state = join(await newState(), "not-made");
    expect(await refusalOf({ BELLHOP_STATE: state, DATABASE: "mysql" })).toBe(
      'bellhop: DATABASE is "mysql"; set it to ours or sqld, or set DATABASE_URL to the address of another libSQL server.',
    );
    expect(statSync(state, { throwIfNoEntry: false })).toBeUndefined();
  });

  async function newState(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-databases-"));
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    return directory;
  }

  function spawn(env: Record<string, string>) {
    const child = Bun.spawn([process.execPath, join(ROOT, "scripts/start.ts")], {
      env: { ...process.env, PORT: "0", BELLHOP_LOCAL_AGENT: "off", ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    cleanups.push(async () => {
      child.kill("SIGTERM");
      await child.exited;
    });
    return child;
  }

  async function refusalOf(env: Record<string, string>): Promise<string> {
    const child = spawn(env);
    const text = await new Response(child.stderr).text();
    expect(await child.exited).toBe(1);
    return text.trim();
  }

  async function start(env: Record<string, string>) {
    const child = spawn(env);
    const [printed, complained] = [collect(child.stdout), collect(child.stderr)];
    await eventually("the welcome", () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${complained()}`);
      return printed().includes("Ctrl-C");
    });
    const url = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed())?.[0] ?? "";
    const headers = {
      Authorization: `Bearer ${/admin token\s+(\S+)/u.exec(printed())?.[1]}`,
      "Content-Type": "application/json",
    };
    const path = `${url}/api/v1/automation/agents`;
    return {
      printed,
      complaints: () => complained().split("\n"),
      agents: async () => (await fetch(path, { headers })).text(),
      createAgent: async (name: string) => {
        const body = JSON.stringify({ name, poolId: "web" });
        expect((await fetch(path, { method: "POST", headers, body })).status).toBe(201);
      },
      end: async () => {
        child.kill("SIGTERM");
        expect(await child.exited).toBe(0);
      },
    };
  }
});

const childrenSchema = z.array(z.object({ pid: z.number(), command: z.string() }));

/** The sqld that npm start has recorded. */
async function sqldOf(state: string): Promise<{ pid: number }> {
  const children = childrenSchema.parse(JSON.parse(await readFile(join(state, "children.json"), "utf8")));
  const found = children.find(({ command }) => command.split("\0")[0]?.endsWith("/sqld") === true);
  if (found === undefined) throw new Error("sqld does not run");
  return found;
}

async function settingsOf(state: string): Promise<{ databaseToken: string }> {
  const text = await readFile(join(state, "settings.json"), "utf8");
  return z.object({ databaseToken: z.string() }).parse(JSON.parse(text));
}

/** The arguments of every process. */
function commands(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return [];
      }
    });
}

function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}
