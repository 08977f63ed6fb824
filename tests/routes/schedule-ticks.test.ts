import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { missedRunsSchema } from "../../schema/contract/cron.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createWorkflow, pageOf, problemOf, verb } from "../support/management-api.ts";
import {
  SUCCEEDS,
  createSchedule,
  getWorkflow,
  nextRunOf,
  scheduledRuns,
  scriptGraph,
  tickWhenDue,
} from "../support/schedules.ts";
import { query } from "../support/database.ts";

const MINUTE_MS = 60_000;
const iso = (at: number) => new Date(at).toISOString();

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const missedOf = async (id: string) =>
  (await pageOf(await call(bellhop, "GET", `/workflows/${id}/missed-runs`), missedRunsSchema)).items;
const put = (id: string, trigger: object, name = "a workflow") =>
  call(bellhop, "PUT", `/workflows/${id}`, { name, trigger, definition: SUCCEEDS });

/** Many workflows that are due at the same time as this one, with its definition. */
const copy = (id: string, times: number) =>
  query(
    bellhop,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      insert into workflows (id, name, trigger, definition, published_version_id, published_trigger_type, active,
        next_run_at, created_at, updated_at)
      select 'wf_copy-' || i, name, trigger, definition, published_version_id, 'cron', 1, next_run_at, 0, 0
      from workflows, n where workflows.id = ?`,
    [times, id],
  );

describe("a schedule's next run", () => {
  test("is shown while the workflow is both published and active", async () => {
    const { id } = await createWorkflow(bellhop, { trigger: { type: "cron", expression: "0 0 1 1 *" } });
    const nextYear = iso(Date.UTC(new Date().getUTCFullYear() + 1, 0, 1));
    expect(await getWorkflow(bellhop, id)).toMatchObject({ nextRunAt: null });
    expect(await verb(bellhop, id, "activate")).toMatchObject({ nextRunAt: null });
    expect(await verb(bellhop, id, "publish")).toMatchObject({ nextRunAt: nextYear });
    expect(await getWorkflow(bellhop, id)).toMatchObject({ nextRunAt: nextYear });
    expect(await verb(bellhop, id, "deactivate")).toMatchObject({ nextRunAt: null });
    expect(await verb(bellhop, id, "activate")).toMatchObject({ nextRunAt: nextYear });
    expect(await verb(bellhop, id, "unpublish")).toMatchObject({ nextRunAt: null });
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true, nextRunAt: null });
  });

  test("follows the schedule's time zone", async () => {
    const { nextRunAt } = await createSchedule(bellhop, { expression: "0 0 1 1 *", timezone: "Asia/Kolkata" });
    expect(nextRunAt).toEndWith("-12-31T18:30:00.000Z");
  });

  test("follows the published version, not the draft", async () => {
    const { id, nextRunAt } = await createSchedule(bellhop, { expression: "0 0 1 1 *" });
    await put(id, { type: "cron", expression: "0 12 1 7 *" });
    expect(await getWorkflow(bellhop, id)).toMatchObject({ nextRunAt });
    expect((await verb(bellhop, id, "publish")).nextRunAt).toEndWith("-07-01T12:00:00.000Z");
    await put(id, { type: "webhook" });
    expect(await verb(bellhop, id, "publish")).toMatchObject({ nextRunAt: null });
  });

  test("stays when the same schedule is published again, so that a due run is not lost", async () => {
    const { id } = await createSchedule(bellhop);
    const dueAt = Date.now() - 5_000;
    await query(bellhop, "update workflows set next_run_at = ? where id = ?", [dueAt, id]);
    const pause = { nodes: [{ id: "pause", type: "delay", seconds: 9 }], edges: [] };
    const trigger = { type: "cron", expression: "* * * * *" };
    await call(bellhop, "PUT", `/workflows/${id}`, { name: "another graph", trigger, definition: pause });
    expect(await verb(bellhop, id, "publish")).toMatchObject({ nextRunAt: iso(dueAt) });
    await verb(bellhop, id, "deactivate");
  });

  test("is computed by the tick if it is missing, so that no schedule stops silently", async () => {
    const { id, nextRunAt } = await createSchedule(bellhop, { expression: "0 0 1 1 *" });
    await query(bellhop, "update workflows set next_run_at = null where id = ?", [id]);
    await bellhop.worker.tick();
    expect(await getWorkflow(bellhop, id)).toMatchObject({ nextRunAt });
  });
});

describe("a tick", () => {
  test("starts a due run once, and advances the schedule", async () => {
    const { id, publishedVersionId } = await createSchedule(bellhop);
    const dueAt = await tickWhenDue(bellhop, id);
    const [run, ...others] = await scheduledRuns(bellhop, id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ status: "succeeded", scheduledAt: iso(dueAt) });
    expect(await nextRunOf(bellhop, id)).toBe(dueAt + MINUTE_MS);
    const [row] = await query(bellhop, "select version_id, trigger_key from executions where id = ?", [run?.id ?? ""]);
    expect(row).toMatchObject({ version_id: publishedVersionId, trigger_key: `cron:${iso(dueAt).slice(0, 16)}Z` });
    expect(await missedOf(id)).toEqual([]);
  });

  test("starts nothing before the run is due", async () => {
    const { id } = await createSchedule(bellhop, { expression: "0 0 1 1 *" });
    await bellhop.worker.tick();
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
  });

  test("starts a minute once when it comes twice, or three times at the same moment", async () => {
    const { id } = await createSchedule(bellhop);
    const dueAt = await nextRunOf(bellhop, id);
    const tick = () => bellhop.worker.tick(new Date(dueAt));
    await Promise.all([tick(), tick(), tick()]);
    await tick();
    expect(await scheduledRuns(bellhop, id)).toHaveLength(1);
    expect(await nextRunOf(bellhop, id)).toBe(dueAt + MINUTE_MS);
  });

  test("does not start a minute again after the schedule was set back", async () => {
    const { id } = await createSchedule(bellhop);
    const dueAt = await tickWhenDue(bellhop, id);
    // An activation by a clock that is behind would do the same.
    await query(bellhop, "update workflows set next_run_at = ? where id = ?", [dueAt, id]);
    await bellhop.worker.tick(new Date(dueAt));
    expect(await scheduledRuns(bellhop, id)).toHaveLength(1);
    expect(await nextRunOf(bellhop, id)).toBe(dueAt + MINUTE_MS);
  });

  test("that is late starts the latest minute only; the others are missed", async () => {
    const { id } = await createSchedule(bellhop);
    const dueAt = await tickWhenDue(bellhop, id, 5 * MINUTE_MS);
    expect(await scheduledRuns(bellhop, id)).toMatchObject([{ scheduledAt: iso(dueAt + 5 * MINUTE_MS) }]);
    expect(await missedOf(id)).toMatchObject([
      { firstDueAt: iso(dueAt), lastDueAt: iso(dueAt + 4 * MINUTE_MS), count: 5 },
    ]);
    expect(await nextRunOf(bellhop, id)).toBe(dueAt + 6 * MINUTE_MS);
  });

  test("that is almost ten minutes late still starts the due run; after ten minutes the run is missed", async () => {
    const inTime = await createSchedule(bellhop, { expression: "0 * * * *" });
    const tooLate = await createSchedule(bellhop, { expression: "0 * * * *" });
    const dueAt = await tickWhenDue(bellhop, inTime.id, 10 * MINUTE_MS - 1);
    expect(await scheduledRuns(bellhop, inTime.id)).toMatchObject([{ scheduledAt: iso(dueAt) }]);
    await query(bellhop, "delete from executions where workflow_id = ?", [tooLate.id]);
    await query(bellhop, "update workflows set next_run_at = ? where id = ?", [dueAt, tooLate.id]);
    await bellhop.worker.tick(new Date(dueAt + 10 * MINUTE_MS));
    expect(await scheduledRuns(bellhop, tooLate.id)).toEqual([]);
    expect(await missedOf(tooLate.id)).toMatchObject([{ firstDueAt: iso(dueAt), lastDueAt: iso(dueAt), count: 1 }]);
    expect(await nextRunOf(bellhop, tooLate.id)).toBe(dueAt + 60 * MINUTE_MS);
  });

  test("starts the next minute while the former run continues: runs may overlap", async () => {
    const { definition } = await scriptGraph(bellhop);
    const { id } = await createSchedule(bellhop, {}, definition);
    await tickWhenDue(bellhop, id);
    await tickWhenDue(bellhop, id);
    expect((await scheduledRuns(bellhop, id)).map((run) => run.status)).toEqual(["running", "running"]);
  });

  test("continues after a schedule that cannot be started", async () => {
    const broken = await createSchedule(bellhop);
    const whole = await createSchedule(bellhop);
    await query(bellhop, "update workflow_versions set trigger = ? where id = ?", [
      JSON.stringify({ type: "cron", expression: "never" }),
      broken.publishedVersionId ?? "",
    ]);
    const dueAt = await tickWhenDue(bellhop, whole.id);
    expect(await scheduledRuns(bellhop, whole.id)).toMatchObject([{ scheduledAt: iso(dueAt) }]);
    expect(await scheduledRuns(bellhop, broken.id)).toEqual([]);
    expect(await getWorkflow(bellhop, broken.id)).toMatchObject({ active: true, nextRunAt: broken.nextRunAt });
    await verb(bellhop, broken.id, "deactivate");
  });

  test("reaches a schedule behind more than a page of schedules that cannot be started", async () => {
    const broken = await createSchedule(bellhop);
    await copy(broken.id, 210);
    await query(bellhop, "update workflow_versions set trigger = ? where id = ?", [
      JSON.stringify({ type: "cron", expression: "never" }),
      broken.publishedVersionId ?? "",
    ]);
    const whole = await createSchedule(bellhop);
    await query(bellhop, "update workflows set next_run_at = next_run_at + ? where id = ?", [MINUTE_MS, whole.id]);
    await tickWhenDue(bellhop, whole.id);
    expect(await scheduledRuns(bellhop, whole.id)).toHaveLength(1);
    await query(bellhop, "delete from workflows where id like 'wf_copy-%' or id = ?", [broken.id]);
  });

  test("starts hundreds that are due at one minute, page by page", async () => {
    const { id, publishedVersionId } = await createSchedule(bellhop);
    const dueAt = await nextRunOf(bellhop, id);
    const copies = 450;
    await copy(id, copies);
    await bellhop.worker.tick(new Date(dueAt));
    const [row] = await query(
      bellhop,
      "select count(*) as n, count(distinct workflow_id) as workflows from executions where version_id = ?",
      [publishedVersionId ?? ""],
    );
    expect(row).toMatchObject({ n: copies + 1, workflows: copies + 1 });
    await query(bellhop, "delete from workflows where id like 'wf_copy-%'");
  });
});

describe("missed runs", () => {
  test("are listed by page, the newest gap first", async () => {
    const { id } = await createSchedule(bellhop);
    const gaps: number[] = [];
    for (let gap = 0; gap < 3; gap += 1) gaps.unshift(await tickWhenDue(bellhop, id, 2 * MINUTE_MS));
    const first = await pageOf(await call(bellhop, "GET", `/workflows/${id}/missed-runs?limit=2`), missedRunsSchema);
    expect(first.items.map((item) => item.firstDueAt)).toEqual(gaps.slice(0, 2).map(iso));
    const path = `/workflows/${id}/missed-runs?limit=2&cursor=${first.nextCursor}`;
    const second = await pageOf(await call(bellhop, "GET", path), missedRunsSchema);
    expect(second.items.map((item) => item.firstDueAt)).toEqual(gaps.slice(2).map(iso));
    expect(second.nextCursor).toBeNull();
  });

  test("of an unknown workflow are a 404; a cursor of another list is refused", async () => {
    await problemOf(await call(bellhop, "GET", "/workflows/wf_none/missed-runs"), 404, "not_found");
    const { id } = await createSchedule(bellhop, { expression: "0 0 1 1 *" });
    const answer = await call(bellhop, "GET", `/workflows/${id}/missed-runs?cursor=d2ZfMQ`);
    await problemOf(answer, 400, "invalid_request");
  });
});
