import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { executionListEventSchemas } from "../../schema/contract/execution-event.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { EventReader } from "../support/events.ts";
import type { ReceivedEvent } from "../support/events.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createWebhookWorkflow, ended } from "../support/management.ts";
import type { Webhook } from "../support/management.ts";
import { errorPathsOf, problemOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
let quick: Webhook;
let slow: Webhook;
beforeAll(async () => {
  bellhop = await startBellhop();
  quick = await createWebhookWorkflow(bellhop, {
    nodes: [
      {
        id: "only",
        type: "condition",
        when: { logic: "all", conditions: [{ field: "webhook.none", operator: "notExists" }] },
      },
    ],
    edges: [],
  });
  slow = await createWebhookWorkflow(bellhop, { nodes: [{ id: "pause", type: "delay", seconds: 1 }], edges: [] });
});
afterAll(() => bellhop.stop());

const open = (search = "", lastEventId: string | null = null) =>
  EventReader.open(bellhop, `/executions/events${search}`, lastEventId);
const ring = async (webhook: Webhook, more: object = {}) =>
  acceptedId(await webhook.ring({ variables: { nonce: crypto.randomUUID(), ...more } }));
const idOf = ({ data }: ReceivedEvent) => z.object({ id: z.string().optional() }).parse(data).id;
const statusOf = ({ data }: ReceivedEvent) => z.object({ status: z.string().optional() }).parse(data).status;
const isEnd = (id: string) => (event: ReceivedEvent) => idOf(event) === id && statusOf(event) !== "running";
const checked = (events: ReceivedEvent[]) => {
  for (const { event, data, id } of events) {
    executionListEventSchemas[z.enum(["ready", "execution", "resync", "reconnect"]).parse(event)].parse(data);
    expect(id === null).toBe(event === "reconnect");
  }
  return events;
};

describe("the stream of all executions", () => {
  test("begins with its position, then reports the start and end of each execution", async () => {
    await ended(bellhop, await ring(quick));
    const reader = await open();
    expect(await reader.next()).toMatchObject({ event: "ready", data: { seq: Number(reader.mark) } });
    const id = await ring(slow);
    const events = checked(await reader.until(isEnd(id)));
    reader.drop();
    expect([...new Set(events.map(idOf))]).toEqual([id]);
    expect(events.map(statusOf)).toEqual(["running", "succeeded"]);
    const seqs = events.map((event) => Number(event.id));
    expect(seqs.toSorted((a, b) => a - b)).toEqual(seqs);
  });

  test("has no gaps for a reader that reconnects after every event", async () => {
    const reader = await open();
    await reader.next();
    reader.drop();
    const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => ring(index % 4 === 0 ? slow : quick)));
    await Promise.all(ids.map((id) => ended(bellhop, id)));
    const over = new Set<string>();
    let mark = reader.mark;
    const marks: number[] = [];
    while (over.size < ids.length) {
      const again: EventReader = await open("", mark);
      const event: ReceivedEvent | null = await again.next();
      again.drop();
      if (event === null) throw new Error("the stream ended");
      if (statusOf(event) !== "running") over.add(idOf(event) ?? "");
      mark = event.id;
      marks.push(Number(mark));
    }
    expect([...over].sort()).toEqual(ids.toSorted());
    expect(new Set(marks).size).toBe(marks.length);
    expect(marks.toSorted((a, b) => a - b)).toEqual(marks);
  });

  test("filters by workflow and by status; with running, the end is reported, too", async () => {
    const [byWorkflow, failed, running] = [
      await open(`?workflowId=${slow.workflowId}`),
      await open("?status=failed"),
      await open("?status=running"),
    ];
    for (const reader of [byWorkflow, failed, running]) expect((await reader.next())?.event).toBe("ready");
    const [other, id] = [await ring(quick), await ring(slow)];
    const seen = await byWorkflow.until(isEnd(id));
    expect(seen.map(idOf)).not.toContain(other);
    expect((await running.until(isEnd(id))).map(statusOf)).toContain("succeeded");
    await query(bellhop, "update executions set status = 'failed' where id = ?", [id]);
    await ring(quick);
    const later = await ring(slow);
    await ended(bellhop, later);
    await query(bellhop, "update executions set status = 'failed' where id = ?", [later]);
    // One more step of the execution, as the engine would write it.
    await query(bellhop, "insert into execution_events (execution_id, revision, type, at) values (?, 99, 'woken', 0)", [
      later,
    ]);
    expect(idOf((await failed.until(({ event }) => event === "execution")).at(-1) ?? fail())).toBe(later);
    for (const reader of [byWorkflow, failed, running]) reader.drop();
  });

  test("reports an execution whole when its trigger has a large payload", async () => {
    const reader = await open();
    await reader.next();
    const id = await ring(quick, { much: "x".repeat(50_000) });
    const events = checked(await reader.until(isEnd(id)));
    reader.drop();
    expect(JSON.stringify(events.at(-1)?.data).length).toBeGreaterThan(50_000);
  });

  test("reports the same to many readers, and continues when many others leave", async () => {
    const readers = await Promise.all(Array.from({ length: 50 }, () => open()));
    await Promise.all(readers.map((reader) => reader.next()));
    for (const reader of readers.slice(5)) reader.drop();
    const id = await ring(quick);
    const received = await Promise.all(readers.slice(0, 5).map((reader) => reader.until(isEnd(id))));
    for (const events of received) expect(events.at(-1)?.data).toEqual(received[0]?.at(-1)?.data);
    for (const reader of readers) reader.drop();
  });

  test("continues after a restart of the service and a short outage of the database", async () => {
    const reader = await open();
    await reader.next();
    await bellhop.restartWorker();
    reader.drop();
    const missed = await ring(quick);
    await ended(bellhop, missed);
    const again = await open("", reader.mark);
    await again.until(isEnd(missed));
    await bellhop.stopLibsql();
    const accepted = await ring(quick);
    await bellhop.startLibsql();
    expect((await again.until(isEnd(accepted))).length).toBeGreaterThan(0);
    again.drop();
  });

  test("sends resync to a reader that is too far behind or has a position of another database", async () => {
    const gone = await open("", "999999999");
    const resync = await gone.next();
    expect(resync).toMatchObject({ event: "resync", data: { seq: Number(gone.mark) } });
    const id = await ring(quick);
    await gone.until(isEnd(id));
    gone.drop();
    const [row] = await query(bellhop, "select max(rowid) as seq from execution_events");
    const rows = Array.from({ length: 6_000 }, (_, index) => `('exe_old', ${index}, 'woken', 0)`).join(",");
    await query(bellhop, `insert into execution_events (execution_id, revision, type, at) values ${rows}`);
    // The feed answers from memory as long as it has the rows: only after a restart is the position too far behind.
    await bellhop.restartWorker();
    const late = await open("", String(row?.["seq"]));
    expect(await late.next()).toMatchObject({ event: "resync" });
    const after = await ring(quick);
    await late.until(isEnd(after));
    late.drop();
  });

  test("refuses invalid positions, invalid filters and an anonymous caller", async () => {
    const at = "/api/v1/automation/executions/events";
    const wrong = await bellhop.api("GET", at, undefined, { "Last-Event-ID": "x" });
    expect((await problemOf(wrong, 400, "invalid_request")).errors?.[0]?.path).toBe("Last-Event-ID");
    expect(await errorPathsOf(await bellhop.api("GET", `${at}?status=sleeping`))).toEqual(["status"]);
    await problemOf(await fetch(`${bellhop.url}${at}`), 401, "unauthorized");
    await eventually("the list to be served", async () => (await bellhop.api("GET", at.replace("/events", ""))).ok);
  });
});

function fail(): never {
  throw new Error("no event");
}
