import "../../support/quiet-log.ts";
import { expect, test } from "bun:test";
import { Control } from "../../../worker/actors/control/control.ts";
import type { AuditRow } from "../../../worker/services/audit-record.ts";
import { ObjectStorage } from "../../support/object-storage.ts";

function audit(id: string, verb: "pause" | "resume", at: number): AuditRow {
  return { id, at, actor: "user:ana@example.com", verb, subjectType: "deployment", subjectId: "all", detail: {} };
}

/** A control object on a real SQLite database, and an audit log that may be away. */
function deployment() {
  const disk = new ObjectStorage();
  const place = { now: 1_000, isAway: false, recorded: new Map<string, AuditRow>(), alarmAt: null as number | null };
  let work: Promise<unknown>[] = [];
  const open = () =>
    new Control({
      storage: {
        sql: disk.sql,
        setAlarm: async (at) => {
          place.alarmAt = at;
        },
        deleteAlarm: async () => {
          place.alarmAt = null;
        },
      },
      armedAt: place.alarmAt,
      now: () => place.now,
      recordAudit: async (row) => {
        if (place.isAway) throw new Error("the database does not answer");
        place.recorded.set(row.id, row);
      },
      background: (one) => work.push(one),
    });
  const settled = async () => {
    while (work.length > 0) await Promise.all(work.splice(0));
  };
  return { place, open, settled };
}

const FIRST = { by: "user:ana@example.com", at: 1_000, reason: "Failover" };

test("a pause survives a restart, a second one replaces its reason, and a resume ends it once", () => {
  const { open } = deployment();
  expect(open().state).toEqual({ pause: null, resumedAt: null });
  open().pause(FIRST, audit("aud_1", "pause", 1_000));
  expect(open().state).toEqual({ pause: FIRST, resumedAt: null });
  const second = { by: "user:bo@example.com", at: 2_000, reason: "Longer" };
  open().pause(second, audit("aud_2", "pause", 2_000));
  expect(open().state.pause).toEqual({ ...second, at: 1_000 });
  open().resume(audit("aud_3", "resume", 3_000));
  open().resume(audit("aud_4", "resume", 4_000));
  expect(open().state).toEqual({ pause: null, resumedAt: 3_000 });
});

test("the entries of the audit log wait on disk for the database, and a resume without a pause has none", async () => {
  const { place, open, settled } = deployment();
  place.isAway = true;
  const control = open();
  control.resume(audit("aud_0", "resume", 900));
  control.pause(FIRST, audit("aud_1", "pause", 1_000));
  control.resume(audit("aud_2", "resume", 2_000));
  await settled();
  expect(place.recorded.size).toBe(0);
  const restarted = open();
  place.isAway = false;
  place.now += 60_000;
  expect(place.alarmAt).not.toBeNull();
  await restarted.onAlarm();
  expect([...place.recorded.values()].map(({ id, at }) => [id, at])).toEqual([
    ["aud_1", 1_000],
    ["aud_2", 2_000],
  ]);
  expect(place.alarmAt).toBeNull();
  place.recorded.clear();
  await open().onAlarm();
  expect(place.recorded.size).toBe(0);
});
