import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/maintenance.ts";
import { incidentSchema } from "../../schema/contract/incident.ts";
import { begunSuppressedSchema } from "../../schema/contract/maintenance.ts";
import type { MaintenanceWindowView } from "../../schema/contract/maintenance.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { eventually } from "../support/eventually.ts";
import { WINDOWS, createWindow, openWindow, suppressedBy, windowFields } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow, ended, getExecution } from "../support/management.ts";
import { call, createWorkflow, dataOf, problemOf, verb } from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";
import { SUCCEEDS, createSchedule, scheduledRuns, tickWhenDue } from "../support/schedules.ts";
import { shownTime } from "../../worker/domain/shown-time.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());
afterEach(async () => {
  await query(bellhop, "delete from maintenance_windows");
});

const event = (service = "checkout") => ({ variables: { service, at: crypto.randomUUID() } });
const ringing = async (definition: object = SUCCEEDS) => {
  const webhook = await createWebhookWorkflow(bellhop, definition);
  const ring = async (service?: string) => {
    const id = await acceptedId(await webhook.ring(event(service)));
    await eventually("the execution to start", async () => (await call(bellhop, "GET", `/executions/${id}`)).ok);
    return id;
  };
  return { ...webhook, ring };
};
const opened = (more: object) => openWindow(bellhop, more);
const end = async ({ id, workflowIds }: MaintenanceWindowView) =>
  call(bellhop, "PUT", `${WINDOWS}/${id}`, windowFields({ workflowIds, endsAt: new Date().toISOString() }));
const begin = (id: string) => call(bellhop, "POST", `/executions/${id}/begin`);
const begunAts = async (ids: readonly string[]) => {
  const rows = await query(
    bellhop,
    `select id from executions where id in (${ids.map(() => "?").join(",")}) and begun_at is not null order by begun_at, id`,
    [...ids],
  );
  return rows.map(({ id }) => String(id));
};

describe("a window that holds", () => {
  test("keeps runs from beginning, says why, and lets them begin in order when it ends early, also after a restart", async () => {
    const { workflowId, ring } = await ringing();
    const window = await opened({ workflowIds: [workflowId] });
    const ids = [await ring(), await ring(), await ring()];
    const [first = ""] = ids;
    const held = await getExecution(bellhop, first);
    expect(held).toMatchObject({
      status: "running",
      nodeRuns: [],
      waiting: {
        code: "maintenance",
        until: window.endsAt,
        detail: `the end of the maintenance window "Storage", at ${shownTime(Date.parse(window.endsAt))}`,
      },
    });
    expect((await suppressedBy(bellhop, window)).map(({ id, suppressed, ranAs }) => [id, suppressed, ranAs])).toEqual(
      ids.toReversed().map((id) => [id, "held", null]),
    );
    await bellhop.restartWorker();
    await bellhop.worker.tick();
    expect(await begunAts(ids)).toEqual([]);
    expect((await end(window)).status).toBe(200);
    for (const id of ids) expect((await ended(bellhop, id)).status).toBe("succeeded");
    expect(await begunAts(ids)).toEqual(ids);
    expect((await suppressedBy(bellhop, window)).map(({ ranAs }) => ranAs)).toEqual(ids.toReversed());
  });

  test("ends at its time", async () => {
    const { workflowId, ring } = await ringing();
    const window = await opened({ workflowIds: [workflowId], endsAt: new Date(Date.now() + 4_000).toISOString() });
    const id = await ring();
    expect((await getExecution(bellhop, id)).waiting?.code).toBe("maintenance");
    await eventually("the run to begin", async () => {
      await bellhop.worker.tick();
      return (await begunAts([id])).length === 1;
    });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(window.endsAt));
  });

  test("hands its runs to another open window, and a change moves their end", async () => {
    const { workflowId, ring } = await ringing();
    const first = await opened({ workflowIds: [workflowId] });
    const id = await ring();
    const later = new Date(Date.now() + 30 * 60_000).toISOString();
    await call(bellhop, "PUT", `${WINDOWS}/${first.id}`, windowFields({ workflowIds: [workflowId], endsAt: later }));
    await eventually("the new end", async () => (await getExecution(bellhop, id)).waiting?.until === later);
    const second = await createWindow(bellhop, { name: "Network", workflowIds: [workflowId] });
    await call(bellhop, "DELETE", `${WINDOWS}/${first.id}`);
    const other = await eventually("the other window", async () => {
      const { waiting } = await getExecution(bellhop, id);
      return waiting?.detail.includes("Network") === true && waiting;
    });
    expect(other.until).toBe(second.endsAt);
    expect((await suppressedBy(bellhop, second)).map((one) => one.id)).toEqual([id]);
    await call(bellhop, "DELETE", `${WINDOWS}/${second.id}`);
    expect((await ended(bellhop, id)).status).toBe("succeeded");
  });

  test("lets runs queue by their rule for other runs afterwards", async () => {
    const nodes = [{ id: "wait", type: "delay", seconds: 3_600 }];
    const { workflowId, ring } = await ringing({ nodes, edges: [], concurrency: { mode: "queue" } });
    const window = await opened({ workflowIds: [workflowId] });
    const ids = [await ring(), await ring(), await ring()];
    await end(window);
    await eventually("two to wait for their turn", async () => {
      const codes = await Promise.all(ids.map(async (id) => (await getExecution(bellhop, id)).waiting?.code));
      return codes.join() === ",earlier_run,earlier_run";
    });
    for (const id of ids) await call(bellhop, "POST", `/executions/${id}/cancel`);
  });

  test("is passed by a person who runs one of its runs now", async () => {
    const { workflowId, ring } = await ringing();
    const window = await opened({ workflowIds: [workflowId] });
    const [id, other] = [await ring(), await ring()];
    expect(await undescribed(api.beginExecution, await begin(id))).toEqual([]);
    expect((await ended(bellhop, id)).status).toBe("succeeded");
    expect((await getExecution(bellhop, other)).waiting?.code).toBe("maintenance");
    await call(bellhop, "POST", `/executions/${other}/cancel`);
    await problemOf(await begin(other), 409, "conflict");
    await end(window);
    expect(await begunAts([id, other])).toEqual([id]);
  });
});

describe("a window that asks", () => {
  test("keeps runs until a person runs or cancels them, also after its end and its deletion", async () => {
    const { workflowId, ring } = await ringing();
    const window = await opened({ workflowIds: [workflowId], mode: "ask" });
    const [run, cancelled] = [await ring(), await ring()];
    expect((await getExecution(bellhop, run)).waiting).toEqual({
      code: "maintenance",
      detail: 'a person to run it: the maintenance window "Storage" asks for that',
    });
    await end(window);
    await call(bellhop, "DELETE", `${WINDOWS}/${window.id}`);
    await bellhop.worker.tick();
    await bellhop.restartWorker();
    await bellhop.worker.tick();
    expect(await begunAts([run, cancelled])).toEqual([]);
    await call(bellhop, "POST", `/executions/${cancelled}/cancel`);

    const operator = await signedIn(bellhop, await createUser(bellhop, { role: "operator" }));
    const viewer = await signedIn(bellhop, await createUser(bellhop, { role: "viewer" }));
    const path = `/api/v1/automation/executions/${run}/begin`;
    await problemOf(await viewer.call("POST", path), 403, "forbidden");
    const answers = await Promise.all([operator.call("POST", path), operator.call("POST", path)]);
    for (const answer of answers) {
      expect((await dataOf(answer, 200, triggerAnswerSchema)).executionId).toBe(run);
    }
    expect((await ended(bellhop, run)).status).toBe("succeeded");
    const [row] = await query(
      bellhop,
      `select started_by startedBy, (select count(*) from audit_log where verb = 'begin' and subject_id = e.id) audits
       from executions e where id = ?`,
      [run],
    );
    expect(row?.["startedBy"]).toMatch(/^\["usr_[^,]*"\]$/u);
    expect(row?.["audits"]).toBe(1);
    expect((await getExecution(bellhop, cancelled)).status).toBe("cancelled");
  });
});

describe("a window that skips", () => {
  test("ends runs without having begun, and a person can run each once afterwards", async () => {
    const concurrency = { mode: "queue", key: "{{webhook.service}}" };
    const { workflowId, ring } = await ringing({ ...SUCCEEDS, concurrency });
    const window = await opened({ workflowIds: [workflowId], mode: "skip" });
    const id = await ring("payments");
    const skipped = await getExecution(bellhop, id);
    expect([skipped.status, skipped.error?.code]).toEqual(["cancelled", "skipped_maintenance"]);
    expect(skipped.nodeRuns.every(({ status }) => status === "skipped")).toBe(true);
    const answers = await Promise.all([begin(id), begin(id), begin(id)]);
    const started = await Promise.all(answers.map((answer) => dataOf(answer, 200, triggerAnswerSchema)));
    const ranAs = new Set(started.map(({ executionId }) => executionId));
    expect(ranAs.size).toBe(1);
    const [again = ""] = [...ranAs];
    const rerun = await ended(bellhop, again);
    expect([rerun.status, rerun.retryOf, rerun.trigger]).toEqual(["succeeded", id, skipped.trigger]);
    expect((await suppressedBy(bellhop, window)).map((one) => [one.id, one.key, one.suppressed, one.ranAs])).toEqual([
      [id, "payments", "skipped", again],
    ]);
    await problemOf(await begin(again), 409, "conflict");
    await problemOf(await begin("exe_none"), 404, "not_found");
  });
});

describe("everything that a window suppressed", () => {
  test("runs by one call after the other, the oldest first, and never twice", async () => {
    const { workflowId, ring } = await ringing();
    const skipping = await opened({ workflowIds: [workflowId], mode: "skip" });
    const ids = [await ring(), await ring()];
    const all = (window: MaintenanceWindowView, body: object = {}) =>
      call(bellhop, "POST", `${WINDOWS}/${window.id}/begin`, body);
    expect(await dataOf(await all(skipping, { after: ids[0] }), 200, begunSuppressedSchema)).toEqual({
      begun: 1,
      failed: [],
      next: null,
    });
    expect(await undescribed(api.beginAllSuppressed, await all(skipping))).toEqual([]);
    expect((await dataOf(await all(skipping), 200, begunSuppressedSchema)).begun).toBe(0);
    const items = await suppressedBy(bellhop, skipping);
    expect(items.every(({ ranAs }) => ranAs !== null)).toBe(true);

    await call(bellhop, "DELETE", `${WINDOWS}/${skipping.id}`);
    const asking = await opened({ workflowIds: [workflowId], mode: "ask" });
    const asked = [await ring(), await ring(), await ring()];
    expect((await dataOf(await all(asking), 200, begunSuppressedSchema)).begun).toBe(3);
    for (const id of asked) await ended(bellhop, id);
    expect(await begunAts(asked)).toEqual(asked);
    await problemOf(await all(asking, { after: 7 }), 400, "invalid_request");
    await problemOf(await call(bellhop, "POST", `${WINDOWS}/mwn_none/begin`, {}), 404, "not_found");
    await problemOf(await call(bellhop, "GET", `${WINDOWS}/mwn_none/suppressed`), 404, "not_found");
    expect(
      await undescribed(api.listSuppressed, await call(bellhop, "GET", `${WINDOWS}/${asking.id}/suppressed`)),
    ).toEqual([]);
  });

  test("names what cannot run, and goes on with the others", async () => {
    const [gone, there] = [await ringing(), await ringing()];
    const window = await opened({ workflowIds: [gone.workflowId, there.workflowId], mode: "skip" });
    const [lost] = [await gone.ring(), await there.ring()];
    await verb(bellhop, gone.workflowId, "unpublish");
    const answer = await call(bellhop, "POST", `${WINDOWS}/${window.id}/begin`, {});
    const { begun, failed } = await dataOf(answer, 200, begunSuppressedSchema);
    expect(begun).toBe(1);
    expect(failed.map(({ executionId }) => executionId)).toEqual([lost ?? ""]);
    expect(failed[0]?.detail).toContain("not published");
  });
});

describe("a window applies", () => {
  test("to schedules and incidents by tag and by service, and to nothing else", async () => {
    const schedule = await createSchedule(bellhop);
    const { id: onIncident } = await createWorkflow(bellhop, {
      trigger: { type: "incident", events: ["incident.created"] },
      definition: SUCCEEDS,
    });
    await verb(bellhop, onIncident, "publish");
    await verb(bellhop, onIncident, "activate");
    const { ring } = await ringing();
    const { trigger, definition, name } = schedule;
    await call(bellhop, "PUT", `/workflows/${schedule.id}`, { name, trigger, definition, tags: ["night"] });
    await opened({ tags: ["night"], services: ["Checkout"] });

    await tickWhenDue(bellhop, schedule.id);
    const [scheduled] = await scheduledRuns(bellhop, schedule.id);
    expect((await getExecution(bellhop, scheduled?.id ?? "")).waiting?.code).toBe("maintenance");
    await verb(bellhop, schedule.id, "deactivate");

    for (const service of ["checkout", "billing"]) {
      await dataOf(await call(bellhop, "POST", "/incidents", { title: service, service }), 201, incidentSchema);
    }
    const runs = await eventually("both incidents to start runs", async () => {
      const rows = await query(
        bellhop,
        `select trigger ->> '$.incident.service' service, hold ->> '$.code' code from executions
         where workflow_id = ? order by service`,
        [onIncident],
      );
      return rows.length === 2 && rows.map((row) => Object.values(row));
    });
    expect(runs).toEqual([
      ["billing", null],
      ["checkout", "maintenance"],
    ]);
    expect((await getExecution(bellhop, await ring("CHECKOUT"))).waiting?.code).toBe("maintenance");
    expect((await ended(bellhop, await ring("billing"))).status).toBe("succeeded");
  });

  test("to a person's own run and to a retry only as a question, and not to sub-workflows", async () => {
    const { id: child } = await createWorkflow(bellhop, { trigger: { type: "manual" }, definition: SUCCEEDS });
    await verb(bellhop, child, "publish");
    const nodes = [{ id: "call", type: "workflow", workflowId: child }];
    const { id } = await createWorkflow(bellhop, { trigger: { type: "manual" }, definition: { nodes, edges: [] } });
    await verb(bellhop, id, "publish");
    await opened({ everything: true, mode: "skip", reason: "Failover" });
    const run = (body: object) => call(bellhop, "POST", `/workflows/${id}/execute`, body);
    const { detail } = await problemOf(await run({}), 409, "maintenance");
    expect(detail).toContain('The maintenance window "Storage" (Failover) is open until');
    const { executionId } = await dataOf(await run({ ignoreMaintenance: true }), 201, triggerAnswerSchema);
    expect((await ended(bellhop, executionId)).status).toBe("succeeded");
    const retry = (body: object) => call(bellhop, "POST", `/executions/${executionId}/retry`, body);
    await problemOf(await retry({}), 409, "maintenance");
    const again = await dataOf(await retry({ ignoreMaintenance: true }), 201, triggerAnswerSchema);
    expect((await ended(bellhop, again.executionId)).status).toBe("succeeded");
    await problemOf(await run({ ignoreMaintenance: "yes" }), 400, "invalid_request");
  });
});
