import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { STATE_FORMAT } from "../../scripts/state-format.ts";
import { createAgent } from "../support/management.ts";
import { OneMachine } from "../support/one-machine.ts";

const LIMIT_MS = 300_000;
const ASIDE = `state-before-${STATE_FORMAT}`;
const NOT_MOVED = /^(?!state-before)/u;

let machine: OneMachine;
beforeAll(async () => {
  machine = await OneMachine.install();
  await machine.start();
}, LIMIT_MS);
afterAll(() => machine.dispose());

const numberFile = () => join(machine.state, "state-format");
const number = (format: number) => writeFile(numberFile(), `${format}\n`);
const asides = async () => (await readdir(machine.state)).filter((name) => !NOT_MOVED.test(name)).sort();

test(
  "an earlier version's state without a number is moved aside when the database starts",
  async () => {
    expect(await readFile(numberFile(), "utf8")).toBe(`${STATE_FORMAT}\n`);
    await createAgent(machine, { name: "from before" });
    await machine.stop();
    await rm(numberFile());
    await machine.start();

    const aside = join(machine.state, ASIDE);
    expect(await machine.log("bellhop-libsql.service")).toContain(
      `the state of an earlier version was moved to ${aside}. Bellhop starts with empty state.\n`,
    );
    expect((await readdir(aside)).sort()).toEqual(["database", "objects"]);
    const database = new Database(join(aside, "database/bellhop.db"), { readonly: true });
    expect(database.query("SELECT name FROM agents").all()).toEqual([{ name: "from before" }]);
    database.close();
    expect(await readdir(join(aside, "objects"))).toContain("bellhop-Dispatcher");
    expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
    expect(await (await machine.api("GET", "/api/v1/automation/agents")).json()).toMatchObject({ data: [] });
    expect(await readFile(numberFile(), "utf8")).toBe(`${STATE_FORMAT}\n`);
  },
  LIMIT_MS,
);

test(
  "a second move, of a lower number and interrupted, overwrites nothing and is completed",
  async () => {
    await machine.stop();
    await number(STATE_FORMAT - 1);
    // The state after the machine fails between the two renames.
    await mkdir(join(machine.state, `${ASIDE}-2`));
    await rename(join(machine.state, "objects"), join(machine.state, `${ASIDE}-2/objects`));
    await machine.start();
    expect(await asides()).toEqual([ASIDE, `${ASIDE}-2`, `${ASIDE}-3`]);
    expect((await readdir(join(machine.state, ASIDE))).sort()).toEqual(["database", "objects"]);
    expect(await readdir(join(machine.state, `${ASIDE}-2`))).toEqual(["objects"]);
    expect(await readdir(join(machine.state, `${ASIDE}-3`))).toEqual(["database"]);
    expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
  },
  LIMIT_MS,
);

test(
  "state that the Worker still uses is not moved",
  async () => {
    const before = await asides();
    await machine.end("bellhop-libsql.service", "SIGTERM");
    await rm(numberFile());
    await expect(machine.startUnit("bellhop-libsql.service")).rejects.toThrow("The Worker runs. Stop it first");
    expect(await asides()).toEqual(before);
    await number(STATE_FORMAT);
    await machine.startUnit("bellhop-libsql.service");
    expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
  },
  LIMIT_MS,
);

test(
  "state of a newer version is refused and stays",
  async () => {
    const before = await asides();
    await machine.stop();
    await number(STATE_FORMAT + 1);
    await expect(machine.startUnit("bellhop-libsql.service")).rejects.toThrow("was written by a newer version");
    expect(await asides()).toEqual(before);
    await number(STATE_FORMAT);
    await machine.start();
  },
  LIMIT_MS,
);

test(
  "a backup of an earlier or newer format is not restored, and earlier state is not backed up",
  async () => {
    const backup = await machine.backUp();
    const file = join(backup, "manifest.json");
    const manifest = await readFile(file, "utf8");
    expect(JSON.parse(manifest)).toMatchObject({ format: STATE_FORMAT });
    await machine.stop();
    for (const [format, reason] of [
      [STATE_FORMAT - 1, "was made by an earlier version, whose state this version cannot read"],
      [STATE_FORMAT + 1, "cannot be read by this version"],
    ] as const) {
      await writeFile(file, manifest.replace(`"format": ${STATE_FORMAT}`, `"format": ${format}`));
      const refused = await machine.restore(backup, "end");
      expect(refused).toMatchObject({ exitCode: 1 });
      expect(refused.output).toContain(reason);
    }
    expect((await readdir(machine.state)).filter((name) => name.startsWith("before-restore"))).toEqual([]);
    await writeFile(file, manifest);

    await rm(numberFile());
    const backedUp = await machine.bellhopctl("backup", "--state", machine.state, "--to", machine.backups);
    expect(backedUp).toMatchObject({ exitCode: 1 });
    expect(backedUp.output).toContain("is of an earlier version. Back it up with that version");

    // Restored state is of this version, in any directory.
    expect(await machine.restore(backup, "end")).toMatchObject({ exitCode: 0 });
    expect(await readFile(numberFile(), "utf8")).toBe(`${STATE_FORMAT}\n`);
    await machine.start();
    expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
  },
  LIMIT_MS,
);

test("a database with other first migrations is not migrated", async () => {
  const database = new Database(join(machine.state, "database/bellhop.db"));
  // The service of the test before is running and may write.
  database.run("PRAGMA busy_timeout = 10000");
  database.run("UPDATE __drizzle_migrations SET hash = 'of before'");
  database.close();
  await expect(machine.migrate()).rejects.toThrow("The database is of an earlier version, which cannot be migrated");
});
