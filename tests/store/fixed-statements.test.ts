import { expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { eq } from "drizzle-orm";
import { executionEvents, workflows } from "../../schema/tables/index.ts";
import { insertRows, updateRow } from "../../worker/store/fixed-statements.ts";

const db = drizzle(async () => ({ rows: [] }));
const EVENT = { executionId: "exe_1", revision: 0, type: "started", at: 7, data: { list: [1, "two"] } };

test("values are encoded as drizzle encodes them", () => {
  const ours = insertRows(executionEvents, [EVENT, { ...EVENT, revision: 1, data: null }]).toSQL();
  const theirs = db
    .insert(executionEvents)
    .values([EVENT, { ...EVENT, revision: 1, data: null }])
    .toSQL();
  expect(ours.params).toEqual(theirs.params);
  expect(ours.sql).toBe(
    'insert into execution_events ("execution_id", "revision", "type", "at", "data") values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?) ',
  );
  const change = { changedBy: ["usr_1"], active: true, autoDisabledAt: null };
  expect(updateRow(workflows, "id", { id: "wf_1", ...change }).toSQL().params).toEqual(
    db.update(workflows).set(change).where(eq(workflows.id, "wf_1")).toSQL().params,
  );
});

test("an update changes the fields that are given, and a field that is undefined keeps its value", () => {
  const { sql, params } = updateRow(workflows, "id", { id: "wf_1", name: undefined, gateEpoch: 3 }).toSQL();
  expect([sql, params]).toEqual(['update workflows set "gate_epoch" = ? where "id" = ?', [3, "wf_1"]]);
});
