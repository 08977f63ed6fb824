import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { incidentEventTypeSchema } from "../../schema/contract/workflow.ts";
import { mintedAt } from "../../worker/services/ids.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { act, createIncident, executionsOf, getIncident, incidentWorkflow, matched } from "../support/incidents.ts";
import { call, createWorkflow, errorPathsOf, verb } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const only = (service: string) => ({
  conditions: { logic: "all", conditions: [{ field: "service", operator: "equals", value: service }] },
});
const started = async (workflowId: string) => (await executionsOf(bellhop, workflowId)).map(({ trigger }) => trigger);

describe("an event of an incident", () => {
  test.each(incidentEventTypeSchema.options)("%s starts its workflows, once each, with the incident", async (type) => {
    const service = `of-${type}`;
    const workflowId = await incidentWorkflow(bellhop, { events: [type], ...only(service) });
    const { id } = await createIncident(bellhop, { service, host: "web-1", tags: { "k8s.io/name": "shop" } });
    await act(bellhop, id, "acknowledge");
    await act(bellhop, id, "escalate");
    await act(bellhop, id, "reassign", { teamId: "db" });
    await act(bellhop, id, "resolve");
    await matched(bellhop);
    const triggers = await started(workflowId);
    const status = { "incident.created": "triggered", "incident.resolved": "resolved" }[String(type)] ?? "acknowledged";
    expect(triggers).toMatchObject([
      {
        type: "incident",
        incident: { id, service, host: "web-1", status, eventType: type, tags: { "k8s.io/name": "shop" } },
      },
    ]);
    const shown = await getIncident(bellhop, id);
    const [execution] = await executionsOf(bellhop, workflowId);
    expect(shown.events.map(({ type, matchedAt }) => [type, matchedAt !== null])).toEqual([
      ["incident.created", true],
      ["incident.acknowledged", true],
      ["incident.escalated", true],
      ["incident.reassigned", true],
      ["incident.resolved", true],
    ]);
    expect(shown.events.flatMap(({ executions }) => executions)).toEqual([
      {
        id: execution?.id ?? "",
        workflowId,
        workflowName: "a workflow",
        status: "running",
        startedAt: shown.events.find((event) => event.type === type)?.at ?? "",
        finishedAt: null,
      },
    ]);
  });

  test("starts every workflow that it matches, and none whose conditions are false", async () => {
    const first = await incidentWorkflow(bellhop, only("several"));
    const second = await incidentWorkflow(bellhop, only("several"));
    const other = await incidentWorkflow(bellhop, only("another"));
    await createIncident(bellhop, { service: "several" });
    await matched(bellhop);
    expect(await started(first)).toHaveLength(1);
    expect(await started(second)).toHaveLength(1);
    expect(await started(other)).toEqual([]);
  });

  test("is matched with the incident's state at the event: nested conditions, tags, severities, patterns", async () => {
    const conditions = {
      logic: "any",
      conditions: [
        { field: "tags.kubernetes.io/name", operator: "equals", value: "shop" },
        {
          logic: "all",
          conditions: [
            { field: "severity", operator: "in", value: ["critical", "high"] },
            { field: "host", operator: "matches", value: "^web-[0-9]+$" },
          ],
        },
      ],
    };
    const scoped = { logic: "all", conditions: [{ field: "source", operator: "equals", value: "nested" }, conditions] };
    const workflowId = await incidentWorkflow(bellhop, { conditions: scoped });
    const source = "nested";
    await createIncident(bellhop, { title: "yes", source, tags: { "kubernetes.io/name": "shop" } });
    await createIncident(bellhop, { title: "yes too", source, severity: "high", host: "web-12" });
    await createIncident(bellhop, { title: "no", source, severity: "low", host: "web-12" });
    await createIncident(bellhop, { title: "no", source, severity: "critical", host: "db-1" });
    await matched(bellhop);
    const titles = (await started(workflowId)).map((trigger) => (trigger.type === "incident" ? trigger.incident : {}));
    expect(titles).toMatchObject([{ title: "yes" }, { title: "yes too" }]);
  });
});

describe("an event starts nothing", () => {
  test("in a workflow that is not, or is no longer, published and active", async () => {
    const body = { trigger: { type: "incident", events: ["incident.created"], ...only("idle") } };
    const draft = await createWorkflow(bellhop, body);
    await verb(bellhop, draft.id, "activate");
    const inactive = await createWorkflow(bellhop, body);
    await verb(bellhop, inactive.id, "publish");
    const stopped = await incidentWorkflow(bellhop, only("idle"));
    await verb(bellhop, stopped, "deactivate");
    const withdrawn = await incidentWorkflow(bellhop, only("idle"));
    await verb(bellhop, withdrawn, "unpublish");
    const deleted = await incidentWorkflow(bellhop, only("idle"));
    await call(bellhop, "DELETE", `/workflows/${deleted}`);
    await createIncident(bellhop, { service: "idle" });
    await matched(bellhop);
    for (const id of [draft.id, inactive.id, stopped, withdrawn, deleted]) expect(await started(id)).toEqual([]);
  });

  test("for a trigger that only the draft has: the published version's trigger counts", async () => {
    const workflowId = await incidentWorkflow(bellhop, only("published"));
    const draft = await call(bellhop, "GET", `/workflows/${workflowId}`);
    expect(draft.status).toBe(200);
    const { name, definition } = await createWorkflow(bellhop, {});
    const trigger = { type: "incident", events: ["incident.created"], ...only("draft") };
    expect((await call(bellhop, "PUT", `/workflows/${workflowId}`, { name, definition, trigger })).status).toBe(200);
    await createIncident(bellhop, { service: "draft" });
    await createIncident(bellhop, { service: "published" });
    await matched(bellhop);
    expect(await started(workflowId)).toMatchObject([{ incident: { service: "published" } }]);
  });
});

describe("an invalid incident trigger", () => {
  test("is refused with the path of every problem", async () => {
    const conditions = {
      logic: "all",
      conditions: [
        { field: "severity", operator: "equals", value: "urgent" },
        { logic: "any", conditions: [{ field: "hostname", operator: "matches", value: "(" }] },
      ],
    };
    const trigger = { type: "incident", events: ["incident.created"], conditions };
    const answer = await call(bellhop, "POST", "/workflows", {
      name: "bad",
      trigger,
      definition: { nodes: [], edges: [] },
    });
    expect((await errorPathsOf(answer)).filter((path) => path.startsWith("trigger"))).toEqual([
      "trigger.conditions.conditions.0.value",
      "trigger.conditions.conditions.1.conditions.0.field",
      "trigger.conditions.conditions.1.conditions.0.value",
    ]);
  });

  test("is refused for an unknown event type, or none", async () => {
    const body = (events: string[]) => ({ name: "x", trigger: { type: "incident", events }, definition: {} });
    const paths = async (events: string[]) =>
      (await errorPathsOf(await call(bellhop, "POST", "/workflows", body(events)))).filter((path) =>
        path.startsWith("trigger"),
      );
    expect(await paths(["incident.opened"])).toEqual(["trigger.events.0"]);
    expect(await paths([])).toEqual(["trigger.events"]);
  });
});

/** The state after a crash between commit and match: events, by title and time, that started nothing. */
async function leaveUnmatched(service: string, events: Record<string, number>): Promise<void> {
  const { id } = await createIncident(bellhop, { service: "left" });
  await matched(bellhop);
  for (const [title, at] of Object.entries(events)) {
    await query(
      bellhop,
      `insert into incident_events (id, incident_id, type, snapshot, at)
        select ?, incident_id, type, json_set(snapshot, '$.title', ?, '$.service', ?), ?
          from incident_events where incident_id = ? limit 1`,
      [`evt_${crypto.randomUUID()}`, title, service, at, id],
    );
  }
}

describe("an event that is matched late", () => {
  test("starts an execution whose id has the time of its start, so that lists find it", async () => {
    const workflowId = await incidentWorkflow(bellhop, only("long ago"));
    const past = Date.now() - 3 * 60 * 60_000;
    await query(bellhop, "update workflow_versions set published_at = ? where workflow_id = ?", [
      past - 1_000,
      workflowId,
    ]);
    await leaveUnmatched("long ago", { old: past });
    await bellhop.worker.tick();
    await matched(bellhop);
    const [row] = await query(bellhop, "select id, started_at from executions where workflow_id = ?", [workflowId]);
    expect(row?.["started_at"]).toBe(past);
    expect(mintedAt("execution", String(row?.["id"]))).toBe(past);
  });

  test("does not start a workflow that was published after it", async () => {
    const before = Date.now();
    const workflowId = await incidentWorkflow(bellhop, only("late"));
    await leaveUnmatched("late", { before: before - 1_000, after: Date.now() + 1_000 });
    await bellhop.worker.tick();
    await matched(bellhop);
    expect(await started(workflowId)).toMatchObject([{ incident: { title: "after" } }]);
  });

  test("starts a workflow that was published before and again after it, in its newest version", async () => {
    const { id, name, definition } = await createWorkflow(bellhop, { trigger: { type: "manual" } });
    const publishWith = async (trigger: object) => {
      expect((await call(bellhop, "PUT", `/workflows/${id}`, { name, definition, trigger })).status).toBe(200);
      const { publishedVersionId } = await verb(bellhop, id, "publish");
      return publishedVersionId;
    };
    await verb(bellhop, id, "publish");
    await verb(bellhop, id, "activate");
    const manual = Date.now();
    const trigger = { type: "incident", events: ["incident.created"], ...only("again") };
    await publishWith(trigger);
    const published = Date.now();
    const latest = await publishWith({ ...trigger, events: ["incident.created", "incident.resolved"] });
    // An event from before the workflow had an incident trigger must not start it.
    await leaveUnmatched("again", { "too early": manual - 1_000, between: published });
    await bellhop.worker.tick();
    await matched(bellhop);
    expect(await started(id)).toMatchObject([{ incident: { title: "between" } }]);
    const [row] = await query(bellhop, "select version_id from executions where workflow_id = ?", [id]);
    expect(row).toMatchObject({ version_id: latest });
  });
});

describe("no event is lost or matched twice", () => {
  const unmatch = (id: string) =>
    query(bellhop, "update incident_events set matched_at = null where incident_id = ?", [id]);

  test("a stored event without a match is matched by the tick, also by several concurrent ticks", async () => {
    const workflowId = await incidentWorkflow(bellhop, only("crashed"));
    const { id } = await createIncident(bellhop, { service: "crashed" });
    await matched(bellhop);
    // The state after a crash between commit and match: an event that started nothing.
    await query(
      bellhop,
      `insert into incident_events (id, incident_id, type, snapshot, at)
        select 'evt_crashed', incident_id, type, json_set(snapshot, '$.title', 'crashed'), at + 1 from incident_events where incident_id = ?`,
      [id],
    );
    await Promise.all([bellhop.worker.tick(), bellhop.worker.tick(), bellhop.worker.tick()]);
    expect(await started(workflowId)).toMatchObject([{}, { incident: { title: "crashed" } }]);
    const rows = await query(bellhop, "select id from incident_events where matched_at is null");
    expect(rows).toEqual([]);
  });

  test("an event that was matched but not marked starts nothing again", async () => {
    const workflowId = await incidentWorkflow(bellhop, only("unmarked"));
    const { id } = await createIncident(bellhop, { service: "unmarked" });
    await matched(bellhop);
    await unmatch(id);
    await bellhop.worker.tick();
    await matched(bellhop);
    expect(await started(workflowId)).toHaveLength(1);
  });

  test("more events than a page are matched by one tick", async () => {
    const workflowId = await incidentWorkflow(bellhop, only("many"));
    const { id } = await createIncident(bellhop, { service: "none-of-them" });
    await matched(bellhop);
    await query(
      bellhop,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 230)
        insert into incident_events (id, incident_id, type, snapshot, at)
        select 'evt_many_' || i, incident_id, type, json_set(snapshot, '$.service', iif(i = 230, 'many', 'few')), at
          from incident_events, n where incident_id = ?`,
      [id],
    );
    await bellhop.worker.tick();
    await matched(bellhop);
    expect(await started(workflowId)).toHaveLength(1);
  });
});

test("without libSQL a call is 503, and a stored event is matched once libSQL is back", async () => {
  const workflowId = await incidentWorkflow(bellhop, only("away"));
  const { id } = await createIncident(bellhop, { service: "elsewhere" });
  await matched(bellhop);
  await query(
    bellhop,
    `insert into incident_events (id, incident_id, type, snapshot, at)
      select 'evt_away', incident_id, type, json_set(snapshot, '$.service', 'away'), at from incident_events where incident_id = ?`,
    [id],
  );
  await bellhop.stopLibsql();
  const refused = await call(bellhop, "POST", "/incidents", { title: "lost?", service: "away" });
  expect(refused.status).toBe(503);
  expect((await call(bellhop, "POST", `/incidents/${id}/resolve`)).status).toBe(503);
  await bellhop.worker.tick();
  await bellhop.startLibsql();
  await eventually("a tick to match the remaining events", async () => {
    await bellhop.worker.tick();
    return (await started(workflowId)).length === 1;
  });
  expect(await getIncident(bellhop, id)).toMatchObject({ status: "triggered" });
  expect((await query(bellhop, "select id from incidents where title = 'lost?'")).length).toBe(0);
});
