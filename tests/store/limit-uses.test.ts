import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { openDatabase, writeBatch } from "../../worker/store/database.ts";
import { insertLimitGroup } from "../../worker/store/limit-groups.ts";
import { deleteUsesBefore, findWanted, insertOverLimit, reserveUses } from "../../worker/store/limit-uses.ts";
import { rowsOf } from "../../worker/store/database.ts";
import type { Database } from "../../worker/store/database.ts";
import { startTestDatabase } from "../support/test-database.ts";
import type { TestDatabase } from "../support/test-database.ts";

let directory: string;
let server: TestDatabase;
let db: Database;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-limits-"));
  server = await startTestDatabase(directory);
  await migrateDatabase({ url: server.url });
  db = openDatabase({ url: server.url });
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

const MINUTE = 60_000;
let made = 0;

async function groups(...maxRuns: number[]): Promise<string[]> {
  const rows = maxRuns.map((max) => ({ id: `lim_${(made += 1)}`, max }));
  const times = { createdAt: 0, updatedAt: 0 };
  await writeBatch(
    db,
    rows.map(({ id, max }) =>
      insertLimitGroup(db, { id, name: id, maxRuns: max, periodSeconds: 60, whenReached: "end", ...times }),
    ),
  );
  return rows.map(({ id }) => id);
}

async function usesOf(groupIds: readonly string[]) {
  const text = JSON.stringify(groupIds);
  const [found] = await db.read([
    {
      sql: "select * from limit_uses where group_id in (select value from json_each(?)) order by at",
      params: [text],
    },
  ]);
  return (found === undefined ? [] : rowsOf(found)).map((row) => ({
    place: `${String(row["group_id"])} ${String(row["key"])}`,
    executionId: String(row["execution_id"]),
    at: Number(row["at"]),
    isOverLimit: row["is_over_limit"] === 1,
  }));
}

const attempt = fc.record({
  execution: fc.nat(12),
  /** Which of the two groups it wants. */
  wants: fc.constantFrom([0], [1], [0, 1]),
  key: fc.constantFrom("", "shop"),
  /** Clocks differ, and attempts come in any order. */
  at: fc.nat(4 * MINUTE),
  copies: fc.integer({ min: 1, max: 3 }),
  isApproved: fc.boolean(),
});

test("random attempts at once: no period has more uses than allowed, all or none, and each execution counts once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 5, maxLength: 25 }), fc.nat(5), async (attempts, atOnce) => {
      const allowed = [2, 3];
      const ids = await groups(...allowed);
      const base = 10 * MINUTE;
      // Each execution has its own limits, which never change.
      const wantedBy = new Map<number, { groupId: string; key: string; executionId: string }[]>();
      for (const { execution, wants, key } of attempts) {
        const executionId = `exe_${execution}`;
        const uses = wants.map((index) => ({ groupId: ids[index] ?? "", key, executionId }));
        if (!wantedBy.has(execution)) wantedBy.set(execution, uses);
      }
      const granted = new Set<number>();
      const run = async ({ execution, at, copies, isApproved }: (typeof attempts)[number]) => {
        const uses = wantedBy.get(execution) ?? [];
        const answers = await Promise.all(
          // Another isolate has another connection.
          Array.from({ length: copies }, () => reserveUses(openDatabase({ url: server.url }), uses, base + at)),
        );
        if (answers.includes(true)) granted.add(execution);
        else if (isApproved) {
          await writeBatch(db, [insertOverLimit(uses, base + at)]);
          granted.add(execution);
        }
      };
      for (let from = 0; from < attempts.length; from += atOnce + 1) {
        await Promise.all(attempts.slice(from, from + atOnce + 1).map(run));
      }
      const uses = await usesOf(ids);
      for (const { place, at } of uses) {
        const inPeriod = uses.filter(
          (one) => one.place === place && !one.isOverLimit && one.at > at - MINUTE && one.at <= at,
        );
        expect(inPeriod.length).toBeLessThanOrEqual(place.startsWith(`${ids[0] ?? ""} `) ? 2 : 3);
      }
      for (const [execution, wanted] of wantedBy) {
        const found = uses.filter((one) => one.executionId === `exe_${execution}`).map(({ place }) => place);
        const all = granted.has(execution) ? wanted.map(({ groupId, key }) => `${groupId} ${key}`) : [];
        expect(found.toSorted()).toEqual(all.toSorted());
      }
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

test("an execution with a use keeps it, and a missing group allows nothing", async () => {
  const [id = ""] = await groups(1);
  const use = { groupId: id, key: "", executionId: "exe_1" };
  expect(await reserveUses(db, [use], MINUTE)).toBe(true);
  expect(await reserveUses(db, [use], 2 * MINUTE - 1)).toBe(true);
  expect(await reserveUses(db, [{ ...use, executionId: "exe_2" }], 2 * MINUTE - 1)).toBe(false);
  expect(await findWanted(db, [{ ...use, executionId: "exe_2" }], 2 * MINUTE - 1, 5)).toMatchObject([
    { group: { name: id, maxRuns: 1 }, isUsed: false, newest: ["exe_1"], lastAt: MINUTE },
  ]);
  expect(await reserveUses(db, [{ ...use, executionId: "exe_2" }], 2 * MINUTE)).toBe(true);
  const missing = { groupId: "lim_none", key: "", executionId: "exe_3" };
  expect(await reserveUses(db, [missing], MINUTE)).toBe(false);
  expect(await findWanted(db, [missing], MINUTE, 5)).toEqual([
    { ...missing, group: null, isUsed: false, newest: [], lastAt: null },
  ]);
});

test("explains a reached limit by its newest uses, and by the one that must become old", async () => {
  const [id = ""] = await groups(3);
  const use = (executionId: string) => ({ groupId: id, key: "a", executionId });
  const explain = async () => {
    const [wanted] = await findWanted(db, [use("exe_next")], 10, 2);
    return [wanted?.newest, wanted?.lastAt];
  };
  for (const at of [1, 2]) await reserveUses(db, [use(`exe_${at}`)], at);
  await reserveUses(db, [{ ...use("exe_other"), key: "b" }], 2);
  expect(await explain()).toEqual([["exe_2", "exe_1"], null]);
  await reserveUses(db, [use("exe_3")], 3);
  expect(await explain()).toEqual([["exe_3", "exe_2"], 1]);
  await writeBatch(db, [insertOverLimit([use("exe_4")], 4)]);
  expect(await explain()).toEqual([["exe_4", "exe_3"], 2]);
});

test("deletes old uses in portions, the oldest first", async () => {
  const [id = ""] = await groups(9);
  for (const at of [-3, -2, -1]) await reserveUses(db, [{ groupId: id, key: "", executionId: `exe_${at}` }], at);
  expect(await deleteUsesBefore(db, -1, 1)).toBe(1);
  expect(await deleteUsesBefore(db, -1, 5)).toBe(1);
  expect((await usesOf([id])).map(({ at }) => at)).toEqual([-1]);
});
