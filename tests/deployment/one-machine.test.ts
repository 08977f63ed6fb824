import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { eventually } from "../support/eventually.ts";
import { acceptedId, call, createConnection, createWebhookWorkflow, ended } from "../support/management.ts";
import type { Webhook } from "../support/management.ts";
import { addOldEntry, manifestOf } from "../support/record-export.ts";
import { OneMachine } from "../support/one-machine.ts";
import { filesBelow } from "../support/export-directory.ts";
import { testInFull } from "../support/in-full.ts";
import { onAnyCommandLine } from "../support/processes.ts";
import { WorkingAgent } from "../support/working-agent.ts";

const LIMIT_MS = 300_000;
const MINUTE_MS = 60_000;

let machine: OneMachine;
let agent: WorkingAgent;
let webhook: Webhook;
beforeAll(async () => {
  machine = await OneMachine.install();
  await machine.start();
  agent = await WorkingAgent.start(machine, "main");
  webhook = await createWebhookWorkflow(machine, await oneScript());
}, LIMIT_MS);
afterAll(async () => {
  await agent.stop();
  await machine.dispose();
});

describe("a process that is killed", () => {
  test(
    "loses no accepted event when it is the Worker, and runs each once",
    async () => {
      const ids: string[] = [];
      for (let i = 0; i < 8; i++) ids.push(await acceptedId(await webhook.ring({ variables: { x: `worker-${i}` } })));
      await machine.end("bellhop.service", "SIGKILL");
      await machine.startUnit("bellhop.service");
      for (const id of ids) expect((await ended(machine, id)).status).toBe("succeeded");
      expect(given("worker-")).toEqual(ids.map((_, i) => `worker-${i}`));
    },
    LIMIT_MS,
  );

  test(
    "loses no webhook when it is the database: accepted ones run once it is back",
    async () => {
      await machine.end("bellhop-libsql.service", "SIGKILL");
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.push(await acceptedId(await webhook.ring({ variables: { x: `database-${i}` } })));
      expect((await fetch(`${machine.url}/readyz`)).status).toBe(503);
      await machine.startUnit("bellhop-libsql.service");
      for (const id of ids) {
        await eventually(
          "the execution to be there",
          async () => {
            return (await machine.api("GET", `/api/v1/automation/executions/${id}`)).ok;
          },
          MINUTE_MS,
        );
        expect((await ended(machine, id)).status).toBe("succeeded");
      }
      expect(given("database-")).toEqual(["database-0", "database-1", "database-2"]);
    },
    LIMIT_MS,
  );
});

describe("the minute's clock", () => {
  test(
    "is set to the next full minute, and a start immediately runs what became due meanwhile",
    async () => {
      const alarm = await eventually("an alarm", () => tickerAlarm());
      expect(alarm % MINUTE_MS).toBe(0);
      // A daily schedule that was due a moment ago, as if the service had been down then.
      const due = new Date(Math.floor(Date.now() / MINUTE_MS - 1) * MINUTE_MS);
      const expression = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
      const workflow = await call(
        machine,
        "POST",
        "/workflows",
        { name: "daily", trigger: { type: "cron", expression }, definition: await oneScript("daily") },
        z.object({ id: z.string() }),
      );
      await call(machine, "POST", `/workflows/${workflow.id}/publish`, undefined, z.unknown());
      await call(machine, "POST", `/workflows/${workflow.id}/activate`, undefined, z.unknown());
      await machine.stop();
      const database = new Database(databaseFile());
      database.run("UPDATE workflows SET next_run_at = ? WHERE id = ?", [due.getTime(), workflow.id]);
      database.close();
      await machine.start();
      const path = `/executions?workflowId=${workflow.id}`;
      const [id = ""] = await eventually("the schedule's execution", async () => {
        const found = await call(machine, "GET", path, undefined, z.array(z.object({ id: z.string() })));
        return found.length === 0 ? null : found.map((execution) => execution.id);
      });
      expect((await ended(machine, id)).status).toBe("succeeded");
      expect(await call(machine, "GET", path, undefined, z.array(z.unknown()))).toHaveLength(1);
    },
    LIMIT_MS,
  );
});

describe("secrets", () => {
  test("are in two separate files that only their owner reads, and on no command line", async () => {
    const secrets = [
      (await machine.settings("bellhop.env"))["BELLHOP_SECRET"] ?? "",
      (await machine.settings("bellhop.env"))["BOOTSTRAP_ADMIN_TOKEN"] ?? "",
      (await machine.settings("database.env"))["DATABASE_AUTH_TOKEN"] ?? "",
    ];
    for (const secret of secrets) {
      expect(secret).toMatch(/^[0-9a-f]{64}$/u);
      expect(onAnyCommandLine(secret)).toBe(false);
    }
    expect(onAnyCommandLine(`${machine.root}/opt/bellhop/current/bin/workerd`)).toBe(true);
    for (const file of ["bellhop.env", "database.env"]) {
      expect((await stat(join(machine.root, "etc/bellhop", file))).mode & 0o777).toBe(0o600);
    }
    const readable = await filesUnder(machine.root, /\/(?:bellhop\.env|database\.env|bin\/.*|state\/.*)$/u);
    for (const file of readable) {
      const text = await readFile(file, "latin1");
      expect({ file, holds: secrets.some((secret) => text.includes(secret)) }).toEqual({ file, holds: false });
    }
    for (const directory of ["", "database", "objects"]) {
      expect((await stat(join(machine.state, directory))).mode & 0o077).toBe(0);
    }
  });

  test("the database refuses requests without the token", async () => {
    const { DATABASE_URL = "" } = await machine.settings("database.env");
    const body = JSON.stringify({ baton: null, requests: [{ type: "execute", stmt: { sql: "SELECT 1" } }] });
    const ask = (headers: Record<string, string>) =>
      fetch(`${DATABASE_URL}/v2/pipeline`, { method: "POST", headers, body });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ Authorization: "Bearer no" })).status).toBe(401);
    const without = await machine.bellhopctl("database", "--file", join(machine.root, "other.db"), "--port", "9");
    expect(without).toMatchObject({ exitCode: 78 });
    expect(without.output).toContain("DATABASE_AUTH_TOKEN must be set");
  });
});

test("the console's page and the files that it names are served", async () => {
  const page = await fetch(`${machine.url}/workflows`);
  expect(page.headers.get("Content-Security-Policy")).toContain("script-src 'self'");
  const files = [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+)"/gu)].map(([, path]) => path ?? "");
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) expect((await fetch(`${machine.url}${file}`)).status).toBe(200);
});

test(
  "the Worker reaches no address of this machine by any name, unless network.capnp allows it",
  async () => {
    const calls: string[] = [];
    const peer = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => new Response(String(calls.push(url))),
    });
    const file = join(machine.root, "etc/bellhop/network.capnp");
    const settings = join(machine.root, "etc/bellhop/bellhop.env");
    try {
      const before = await readFile(settings, "utf8");
      // The service's own check of the address is off, so that only the network's is left.
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
      await writeFile(settings, `${before}NOTIFY_WEBHOOK_SECRET=${secret}\nNOTIFY_WEBHOOK_ALLOW_PRIVATE=true\n`);
      await restartWorker();
      const params = { channel: "webhook", to: `http://localhost:${peer.port}/`, message: "hello" };
      const node = { id: "notify", type: "action", action: "notification.sendNotification", params };
      const notifying = await createWebhookWorkflow(machine, { nodes: [node], edges: [] });
      const id = await acceptedId(await notifying.ring({}));
      await eventually("the connection to be refused", () =>
        machine.log("bellhop.service").then((log) => log.includes("restrictPeers")),
      );
      expect(calls).toEqual([]);
      const text = await readFile(file, "utf8");
      await writeFile(
        file,
        text.replace('const allow :List(Text) = ["public"];', 'const allow :List(Text) = ["public", "127.0.0.1/32"];'),
      );
      await restartWorker();
      await eventually("the message to be sent again", () => calls.length > 0, 4 * MINUTE_MS);
      expect((await ended(machine, id)).status).toBe("succeeded");
    } finally {
      await peer.stop(true);
    }
  },
  LIMIT_MS,
);

testInFull(
  "old records are in the export directory before they are deleted, and stay while the process that writes is away",
  async () => {
    const directory = join(machine.state, "exports");
    await machine.set("bellhop.env", { RETENTION_EXPORT_DIRECTORY: directory });
    await restartWorker();
    addOldEntry(databaseFile());
    const failure = z.object({
      exports: z.array(z.object({ kind: z.string(), failure: z.object({ error: z.string() }).nullable() })),
    });
    const error = await eventually(
      "the reason why nothing is deleted",
      async () => {
        const { exports } = await call(machine, "GET", "/retention", undefined, failure);
        return exports.find(({ kind }) => kind === "audit")?.failure?.error;
      },
      2 * MINUTE_MS,
    );
    expect(error).toStartWith("The process that writes to the export directory cannot be reached.");
    await machine.startUnit("bellhop-exports.service");
    const database = new Database(databaseFile());
    database.run("UPDATE retention_exports SET failed_at = 0");
    database.close();
    const exported = async () => manifestOf(await filesBelow(directory), "audit").length > 0;
    await eventually("the record to be exported", exported, 2 * MINUTE_MS);
    expect((await stat(join(machine.state, "exports.sock"))).mode & 0o777).toBe(0o600);
    const { BELLHOP_SECRET: secret = "none" } = await machine.settings("bellhop.env");
    const environment = await readFile(`/proc/${machine.pid("bellhop-exports.service")}/environ`, "utf8");
    expect(environment).not.toContain(secret);
  },
  LIMIT_MS,
);

function databaseFile(): string {
  return join(machine.state, "database/bellhop.db");
}

async function restartWorker(): Promise<void> {
  await machine.end("bellhop.service", "SIGTERM");
  await machine.startUnit("bellhop.service");
}

async function oneScript(x = "{{webhook.x}}") {
  const connectionId = await createConnection(machine, { type: "script", poolId: "main" });
  const params = { script: "true", env: { X: x } };
  return { nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params }], edges: [] };
}

/** The agent's jobs of one kind, sorted; a repeated job appears twice. */
function given(prefix: string): string[] {
  return agent
    .given()
    .filter((x) => x.startsWith(prefix))
    .sort();
}

function tickerAlarm(): number | null {
  const database = new Database(join(machine.state, "objects/bellhop-Ticker/metadata.sqlite"), { readonly: true });
  try {
    const row = database.query("SELECT scheduled_time AS at FROM _cf_ALARM").get();
    const at = z.object({ at: z.number() }).safeParse(row);
    return at.success ? Math.round(at.data.at / 1_000_000) : null;
  } finally {
    database.close();
  }
}

async function filesUnder(directory: string, but: RegExp): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !but.test(file));
}
