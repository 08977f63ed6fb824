import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { selfSigned } from "../support/certificate.ts";
import { sqldMissing, startOurs } from "../support/database-server.ts";
import type { DatabaseServer } from "../support/database-server.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createAgent, createConnection, createWebhookWorkflow, ended } from "../support/management.ts";
import type { Webhook } from "../support/management.ts";
import { OneMachine } from "../support/one-machine.ts";
import { isRunning, onAnyCommandLine } from "../support/processes.ts";
import { WorkingAgent } from "../support/working-agent.ts";

/** A one-machine deployment on sqld, and on a database elsewhere. */
const LIMIT_MS = 300_000;
const SERVER = "bellhop-libsql.service";

let machine: OneMachine;
beforeAll(async () => {
  machine = await OneMachine.install(sqldMissing() === null ? { DATABASE: "sqld" } : {});
}, LIMIT_MS);
afterAll(() => machine.dispose());

describe.skipIf(sqldMissing() !== null)("with DATABASE=sqld", () => {
  let webhook: Webhook;
  let agent: WorkingAgent;
  beforeAll(async () => {
    await machine.start();
    agent = await WorkingAgent.start(machine, "main");
    webhook = await createWebhookWorkflow(machine, await oneScript());
  }, LIMIT_MS);
  afterAll(() => agent.stop());

  test("the unit's process is sqld, with its files in the state directory and its token on no command line", async () => {
    expect(await readlink(`/proc/${machine.pid(SERVER)}/exe`)).toEndWith("/bin/sqld");
    expect(await readdir(join(machine.state, "database"))).toEqual(["sqld"]);
    expect((await stat(join(machine.state, "database/sqld"))).mode & 0o077).toBe(0);
    const { DATABASE_URL = "", DATABASE_AUTH_TOKEN = "" } = await machine.settings("database.env");
    expect(DATABASE_AUTH_TOKEN).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/u);
    expect(onAnyCommandLine(DATABASE_AUTH_TOKEN)).toBe(false);
    const answer = await fetch(`${DATABASE_URL}/v2/pipeline`, { method: "POST", body: '{"requests":[]}' });
    expect(answer.status).toBe(401);
  });

  test(
    "a killed sqld loses no accepted event",
    async () => {
      await machine.end(SERVER, "SIGKILL");
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.push(await acceptedId(await webhook.ring({ variables: { x: `killed-${i}` } })));
      await machine.startUnit(SERVER);
      for (const id of ids) expect((await endedLater(id)).status).toBe("succeeded");
      expect(given("killed-")).toEqual(["killed-0", "killed-1", "killed-2"]);
    },
    LIMIT_MS,
  );

  test(
    "SIGTERM stops sqld, and a restore is refused until then",
    async () => {
      const pid = machine.pid(SERVER);
      const backup = await machine.backUp();
      await machine.end("bellhop.service", "SIGTERM");
      expect((await machine.restore(backup, "end")).output).toContain("The database is in use");
      await machine.end(SERVER, "SIGTERM");
      expect(isRunning(pid)).toBe(false);
      await machine.start();
    },
    LIMIT_MS,
  );

  test(
    "a backup of the running service has every ended execution, and its restore runs on sqld",
    async () => {
      const before = await rung("before", 5);
      await Promise.all(before.map((id) => ended(machine, id)));
      const traffic = rung("during", 20);
      const backup = await machine.backUp();
      await Promise.all((await traffic).map((id) => ended(machine, id)));
      await machine.stop("SIGKILL");
      await rm(machine.state, { recursive: true });
      expect(await machine.restore(backup, "end")).toMatchObject({ exitCode: 0 });
      await machine.start();
      expect(await readdir(join(machine.state, "database"))).toEqual(["sqld"]);
      for (const id of before) expect((await ended(machine, id)).status).toBe("succeeded");
      const [after = ""] = await rung("after", 1);
      expect((await ended(machine, after)).status).toBe("succeeded");
      expect(given("before-")).toHaveLength(5);
    },
    LIMIT_MS,
  );

  test(
    "another database is refused until a restore carries the data over, in both directions",
    async () => {
      const [running = ""] = await rung("kept", 1);
      await ended(machine, running);
      await machine.stop();
      for (const [next, began, name] of [
        ["ours", "sqld", "Bellhop's own database"],
        ["sqld", "Bellhop's own database", "sqld"],
      ] as const) {
        const backup = await machine.backUp();
        await machine.useDatabase({ DATABASE: next });
        await expect(machine.startUnit(SERVER)).rejects.toThrow(
          `the state in ${machine.state} began with ${began}, not with ${name}, and data is not carried over: put /etc/bellhop/database.env back, or follow "Another database" in docs/deploy/one-machine.md.`,
        );
        expect(await machine.restore(backup, "continue", "--database", next)).toMatchObject({ exitCode: 0 });
        expect(await readdir(join(machine.state, "database"))).toEqual([next === "ours" ? "bellhop.db" : "sqld"]);
        await machine.start();
        expect((await ended(machine, running)).status).toBe("succeeded");
        const [after = ""] = await rung(next, 1);
        expect((await ended(machine, after)).status).toBe("succeeded");
        await machine.stop();
      }
    },
    LIMIT_MS,
  );

  test("a missing key is refused, because sqld would serve every user of the machine", async () => {
    const without = { DATABASE: "sqld", DATABASE_AUTH_TOKEN: "x".repeat(16) };
    const file = "/dev/null/database/bellhop.db";
    const refused = await machine.bellhopctlIn(without, "database", "--file", file, "--port", "9");
    expect(refused).toMatchObject({ exitCode: 78 });
    expect(refused.output).toStartWith("bellhopctl: SQLD_AUTH_JWT_KEY must be set");
  });

  async function rung(name: string, times: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < times; i++)
      ids.push(await acceptedId(await webhook.ring({ variables: { x: `${name}-${i}` } })));
    return ids;
  }

  function given(prefix: string): string[] {
    return agent
      .given()
      .filter((x) => x.startsWith(prefix))
      .sort();
  }
});

describe("with a DATABASE_URL elsewhere", () => {
  let server: DatabaseServer;
  let front: Bun.Server<undefined>;
  beforeAll(async () => {
    await machine.stop();
    await rm(machine.state, { recursive: true, force: true });
    await rm(machine.backups, { recursive: true, force: true });
    server = await startOurs();
    const { key, cert } = await selfSigned("DNS:localhost");
    front = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      tls: { key, cert },
      fetch: async (request) =>
        fetch(`${server.url}${new URL(request.url).pathname}`, {
          method: request.method,
          headers: request.headers,
          body: await request.arrayBuffer(),
        }),
    });
    const authority = join(machine.root, "authority.pem");
    await writeFile(authority, cert);
    const config = join(machine.root, "opt/bellhop/current/worker/bellhop.capnp");
    const trusting = `tlsOptions = (trustBrowserCas = true, trustedCertificates = [${JSON.stringify(cert)}])`;
    await writeFile(
      config,
      (await readFile(config, "utf8")).replaceAll("tlsOptions = (trustBrowserCas = true)", trusting),
    );
    await machine.useDatabase({ DATABASE_URL: `libsql://localhost:${front.port}`, DATABASE_AUTH_TOKEN: server.token });
    await machine.set("database.env", { NODE_EXTRA_CA_CERTS: authority });
  }, LIMIT_MS);
  afterAll(async () => {
    await machine.stop();
    await front.stop(true);
    await server.dispose();
  });

  test("no database is served here, and systemd skips its unit", async () => {
    const settings = await machine.settings("database.env");
    expect(Object.keys(settings)).toEqual(["DATABASE_URL", "DATABASE_AUTH_TOKEN", "NODE_EXTRA_CA_CERTS"]);
    const output = `bellhopctl: The database is at libsql://localhost:${front.port}. None is served here.`;
    expect(await machine.bellhopctlIn(settings, "serves-database")).toEqual({ exitCode: 1, output });
    const file = join(machine.state, "database/bellhop.db");
    const served = await machine.bellhopctlIn(settings, "database", "--file", file, "--port", "9");
    expect(served).toEqual({ exitCode: 78, output });
    expect(existsSync(file)).toBe(false);
  });

  test(
    "the Worker runs executions there, over TLS",
    async () => {
      await machine.startUnit("bellhop.service");
      const agent = await WorkingAgent.start(machine, "main");
      const webhook = await createWebhookWorkflow(machine, await oneScript());
      expect((await ended(machine, await acceptedId(await webhook.ring({})))).status).toBe("succeeded");
      const { rows } = await server.client().execute("SELECT status FROM executions");
      expect(rows.map((row) => row["status"])).toEqual(["succeeded"]);
      await agent.stop();
    },
    LIMIT_MS,
  );

  test("a backup is refused, because a copy of this machine alone could not be restored", async () => {
    const refused = await machine.bellhopctl("backup", "--state", machine.state, "--to", machine.backups);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.output).toContain(`The database is at libsql://localhost:${front.port}, and a backup`);
    expect(existsSync(machine.backups)).toBe(false);
  });

  test("an address on this machine is reached without an entry in network.capnp, and is another database", async () => {
    await machine.stop();
    await machine.useDatabase({ DATABASE_URL: server.url, DATABASE_AUTH_TOKEN: server.token });
    await expect(machine.startUnit("bellhop.service")).rejects.toThrow(
      `began with the database at libsql://localhost:${front.port}, not with the database at ${server.url}, and data`,
    );
    await rm(machine.state, { recursive: true });
    await server.stop();
    await expect(machine.startUnit("bellhop.service")).rejects.toThrow(
      /the database at http:\/\/127\.0\.0\.1:\d+ could not be migrated: .+\. Check DATABASE_URL and DATABASE_AUTH_TOKEN in/u,
    );
    // An address that was never reached is no one's, and can be corrected.
    expect(await readdir(machine.state)).not.toContain("database");
    await server.start();
    await machine.startUnit("bellhop.service");
    await createAgent(machine, { name: "over http" });
    expect(await (await machine.api("GET", "/api/v1/automation/agents")).text()).toContain("over http");
  });
});

describe("wrong settings of the database", () => {
  const OWN = { DATABASE_PORT: "8788", DATABASE_URL: "http://127.0.0.1:8788", DATABASE_AUTH_TOKEN: "x".repeat(16) };
  const URL = "libsql://name.example.com";
  const wrong: [Record<string, string>, string][] = [
    [{ DATABASE: "mysql" }, 'DATABASE is "mysql"; set it to ours or sqld, or set DATABASE_URL'],
    [{ DATABASE: "sqld", DATABASE_URL: URL }, "DATABASE and DATABASE_URL are both set."],
    [{ DATABASE: "sqld", DATABASE_PORT: "8789" }, "DATABASE_PORT is 8789, and DATABASE_URL is http://127.0.0.1:8788"],
    [{ DATABASE_URL: "name.example.com" }, "DATABASE_URL must be an address that begins with libsql://"],
    [{ DATABASE_URL: "http://name.example.com" }, "DATABASE_URL must be an address that begins with libsql://"],
  ];

  test.each(wrong)("%j is refused by each command, which makes nothing", async (setting, part) => {
    const env = { ...OWN, ...setting };
    const state = join(machine.root, "not-made");
    for (const command of [
      ["database", "--file", join(state, "database/bellhop.db"), "--port", "9"],
      ["migrate", "--state", state],
      ["database-settings"],
    ]) {
      const { exitCode, output } = await machine.bellhopctlIn(env, ...command);
      expect({ command, exitCode, output }).toEqual({ command, exitCode: 78, output: expect.stringContaining(part) });
      expect(output.split("\n")).toHaveLength(1);
    }
    expect(existsSync(state)).toBe(false);
    // systemd skips the unit, and with it the report, only for a correct setting.
    expect((await machine.bellhopctlIn(env, "serves-database")).exitCode).toBe(0);
  });

  test("are refused by the installer before it makes anything", async () => {
    const root = join(machine.root, "second");
    const env = { PATH: process.env["PATH"] ?? "", DESTDIR: root, DATABASE: "sqlld" };
    const installer = join(machine.root, "opt/bellhop/current/install.sh");
    const child = Bun.spawn(["sh", installer], { env, stdout: "ignore", stderr: "pipe" });
    expect(await new Response(child.stderr).text()).toStartWith('bellhopctl: DATABASE is "sqlld"');
    expect(await child.exited).toBe(78);
    expect(existsSync(root)).toBe(false);
  });
});

/** For an event that was accepted while the database was down. */
async function endedLater(id: string) {
  await eventually("the execution", async () => (await machine.api("GET", `/api/v1/automation/executions/${id}`)).ok);
  return ended(machine, id);
}

async function oneScript() {
  const connectionId = await createConnection(machine, { type: "script", poolId: "main" });
  const params = { script: "true", env: { X: "{{webhook.x}}" } };
  return { nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params }], edges: [] };
}
