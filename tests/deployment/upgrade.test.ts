import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../../scripts/paths.ts";
import { acceptedId, createConnection, createWebhookWorkflow, ended } from "../support/management.ts";
import { OneMachine } from "../support/one-machine.ts";
import { WorkingAgent } from "../support/working-agent.ts";

const LIMIT_MS = 300_000;

const journalSchema = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string(), when: z.number() })) });

let machine: OneMachine;
beforeAll(async () => {
  machine = await OneMachine.install();
}, LIMIT_MS);
afterAll(() => machine.dispose());

describe("upgrading", () => {
  test(
    "migrates the former version's database when the new version starts, and keeps its data",
    async () => {
      await machine.startUnit("bellhop-libsql.service");
      await machine.migrate();
      const own = await migrations();
      expect(applied()).toHaveLength(own.length);
      const tables = withDatabase((database) => {
        database.run(
          `INSERT INTO agents (id, name, key_prefix, key_hash, created_at, updated_at) VALUES ('agt_old', 'from before', 'bhold', 'x', 1, 1)`,
        );
        return tablesOf(database);
      });
      expect(tables.length).toBeGreaterThan(10);

      await machine.useVersion("99.0.0", (release) => addMigration(release, tables));
      await machine.startUnit("bellhop.service");
      expect(applied()).toHaveLength(own.length + 1);
      const agents = await machine.api("GET", "/api/v1/automation/agents");
      expect(await agents.text()).toContain("from before");
      await works();
    },
    LIMIT_MS,
  );

  test(
    "can be undone: a version works with the newer schema, which only adds",
    async () => {
      await machine.stop();
      await machine.switchTo(await version());
      await machine.start();
      expect(applied()).toHaveLength((await migrations()).length + 1);
      expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
      await works();
    },
    LIMIT_MS,
  );

  test(
    "keeps working with the settings and the command lines of earlier installations",
    async () => {
      await machine.stop();
      const settings = await machine.settings("database.env");
      expect(Object.keys(settings)).toEqual(["DATABASE_PORT", "DATABASE_URL", "DATABASE_AUTH_TOKEN"]);
      const unit = join(machine.root, "etc/systemd/system/bellhop.service");
      const text = await readFile(unit, "utf8");
      const earlier = text
        .replace("bellhopctl migrate --state /var/lib/bellhop", "bellhopctl migrate")
        .replace(/^ExecStart=.*--socket-addr=\S+/mu, "$& --external-addr=database=127.0.0.1:${DATABASE_PORT}");
      expect(earlier.length - text.length).toBeGreaterThan(0);
      await writeFile(unit, earlier);
      await machine.start();
      await works();
      await writeFile(unit, text);
    },
    LIMIT_MS,
  );

  test("only adds to the schema, so that the former version continues to work", async () => {
    const breaking =
      /\b(?:DROP\s+(?:TABLE|COLUMN)|RENAME\s+(?:TO|COLUMN)|ADD\s+(?:COLUMN\s+)?\S+\s+\w+\s+NOT\s+NULL(?!.*DEFAULT))/iu;
    for (const file of await migrations()) {
      const sql = await readFile(join(ROOT, "schema/migrations", file), "utf8");
      const found = sql.split("--> statement-breakpoint").filter((statement) => breaking.test(statement));
      expect({ file, found }).toEqual({ file, found: [] });
    }
    expect(breaking.test("ALTER TABLE `a` ADD `b` text NOT NULL;")).toBe(true);
    expect(breaking.test("ALTER TABLE `a` ADD `b` integer DEFAULT 0 NOT NULL;")).toBe(false);
  });
});

/** An event from the webhook to its end. */
async function works(): Promise<void> {
  const poolId = crypto.randomUUID();
  const connectionId = await createConnection(machine, { type: "script", poolId });
  const node = { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "true" } };
  const webhook = await createWebhookWorkflow(machine, { nodes: [node], edges: [] });
  const agent = await WorkingAgent.start(machine, poolId);
  try {
    expect((await ended(machine, await acceptedId(await webhook.ring({})))).status).toBe("succeeded");
  } finally {
    await agent.stop();
  }
}

/** The additions of a version a year later: a column in every table, and a table. */
async function addMigration(release: string, tables: readonly string[]): Promise<void> {
  const file = join(release, "migrations/meta/_journal.json");
  const journal = journalSchema.parse(await Bun.file(file).json());
  const when = Date.now() + 365 * 86_400_000;
  const entry = { ...journal.entries.at(-1), idx: journal.entries.length, tag: "9999_future", when };
  await writeFile(file, JSON.stringify({ ...journal, entries: [...journal.entries, entry] }));
  const sql = [
    ...tables.map((name) => `ALTER TABLE ${name} ADD COLUMN from_the_future TEXT DEFAULT 'x' NOT NULL;`),
    "CREATE TABLE future (id TEXT PRIMARY KEY);",
  ].join("\n--> statement-breakpoint\n");
  await writeFile(join(release, "migrations/9999_future.sql"), sql);
}

function tablesOf(database: Database): string[] {
  const rows = database
    .query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
    )
    .all();
  return z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map(({ name }) => name);
}

function applied(): unknown[] {
  return withDatabase((database) => database.query("SELECT 1 FROM __drizzle_migrations").all());
}

function withDatabase<T>(use: (database: Database) => T): T {
  const database = new Database(join(machine.state, "database/bellhop.db"));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

async function migrations(): Promise<string[]> {
  return (await readdir(join(ROOT, "schema/migrations"))).filter((file) => file.endsWith(".sql")).sort();
}

async function version(): Promise<string> {
  return z.object({ version: z.string() }).parse(await Bun.file(join(ROOT, "package.json")).json()).version;
}
