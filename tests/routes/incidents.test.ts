import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { incidentSchema } from "../../schema/contract/incident.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { act, createIncident, eventTypes, getIncident, listIncidents } from "../support/incidents.ts";
import { call, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const FULL = {
  title: "Disk full",
  description: "sda1 at 99 %",
  severity: "critical",
  service: "shop",
  source: "console",
  host: "web-1",
  teamId: "ops",
  assignedTo: "ann",
  tags: { "kubernetes.io/name": "shop" },
};
const post = (path: string, body?: unknown) => call(bellhop, "POST", path, body);
const auditOf = async (id: string) =>
  (await query(bellhop, "select verb, detail from audit_log where subject_id = ? order by id", [id])).map((row) => ({
    verb: String(row["verb"]),
    detail: String(row["detail"]),
  }));

describe("creating", () => {
  test("an incident has the given fields, and is triggered", async () => {
    const incident = await createIncident(bellhop, FULL);
    expect(incident).toEqual({
      ...FULL,
      severity: "critical",
      id: incident.id,
      status: "triggered",
      dedupKey: null,
      escalationLevel: 0,
      revision: 1,
      createdAt: incident.createdAt,
      updatedAt: incident.createdAt,
      resolvedAt: null,
    });
    expect(incident.id).toMatch(/^inc_/u);
    const shown = await getIncident(bellhop, incident.id);
    expect(shown).toMatchObject(incident);
    expect(shown.events).toMatchObject([{ type: "incident.created", incidentId: incident.id, at: incident.createdAt }]);
    expect(await auditOf(incident.id)).toMatchObject([{ verb: "create" }]);
  });

  test("a title is enough", async () => {
    expect(await createIncident(bellhop, {})).toMatchObject({ severity: "medium", description: null, tags: {} });
  });

  test.each<[string, object, string[]]>([
    ["nothing", {}, ["title"]],
    ["a blank title", { title: " " }, ["title"]],
    ["a title that is too long", { title: "x".repeat(501) }, ["title"]],
    ["unknown values and fields", { title: "x", severity: "urgent", status: "triggered" }, ["severity", "status"]],
    ["an empty or non-text value", { title: "x", host: "", service: 5 }, ["host", "service"]],
    ["bad tags", { title: "x", tags: { a: 1, b: "v".repeat(2_001) } }, ["tags.a", "tags.b"]],
    ["too many tags", { title: "x", tags: Object.fromEntries(Array.from(Array(101), (_, i) => [i, ""])) }, ["tags"]],
    ["an empty dedupKey", { title: "x", dedupKey: "" }, ["dedupKey"]],
    ["a description that is too long", { title: "x", description: "d".repeat(65_537) }, ["description"]],
  ])("%s is refused, with the path", async (_name, body, paths) => {
    expect(await errorPathsOf(await post("/incidents", body))).toEqual(paths);
  });
});

describe("a dedupKey", () => {
  test("of an open incident returns that incident, updated, and emits no event", async () => {
    const first = await createIncident(bellhop, { ...FULL, dedupKey: "disk" });
    expect(first.dedupKey).toBe("disk");
    const again = { title: "Disk fuller", severity: "low", tags: { zone: "a" }, host: "web-2", dedupKey: "disk" };
    const second = await dataOf(await post("/incidents", again), 200, incidentSchema);
    expect(second).toEqual({
      ...first,
      title: "Disk fuller",
      severity: "low",
      tags: { zone: "a" },
      revision: first.revision + 1,
      updatedAt: second.updatedAt,
    });
    const third = await dataOf(
      await post("/incidents", { title: "Disk fuller", dedupKey: "disk" }),
      200,
      incidentSchema,
    );
    expect(third).toEqual(second);
    expect(await eventTypes(bellhop, first.id)).toEqual(["incident.created"]);
    expect((await auditOf(first.id)).map(({ verb }) => verb)).toEqual(["create", "update"]);
  });

  test("of an acknowledged incident keeps it acknowledged; of a resolved one opens another", async () => {
    const first = await createIncident(bellhop, { dedupKey: "again" });
    await act(bellhop, first.id, "acknowledge");
    const same = await dataOf(await post("/incidents", { title: "x", dedupKey: "again" }), 200, incidentSchema);
    expect(same).toMatchObject({ id: first.id, status: "acknowledged" });
    await act(bellhop, first.id, "resolve");
    const next = await createIncident(bellhop, { dedupKey: "again" });
    expect(next.id).not.toBe(first.id);
  });

  test("sent many times at the same moment creates one incident and one event", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post("/incidents", { title: "storm", dedupKey: "storm" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    const rows = await query(bellhop, "select id from incidents where dedup_key = 'api:storm'");
    expect(rows).toHaveLength(1);
    expect(await eventTypes(bellhop, String(rows[0]?.["id"]))).toEqual(["incident.created"]);
  });
});

describe("transitions", () => {
  test("each transition emits its event once, in order, and the audit log names the caller", async () => {
    const { id } = await createIncident(bellhop);
    expect(await act(bellhop, id, "acknowledge")).toMatchObject({ status: "acknowledged", resolvedAt: null });
    expect(await act(bellhop, id, "acknowledge")).toMatchObject({ status: "acknowledged" });
    expect(await act(bellhop, id, "escalate", { assignedTo: "bob", reason: "no answer" })).toMatchObject({
      status: "acknowledged",
      escalationLevel: 1,
      assignedTo: "bob",
    });
    expect(await act(bellhop, id, "escalate")).toMatchObject({ escalationLevel: 2, assignedTo: "bob" });
    expect(await act(bellhop, id, "reassign", { teamId: "db", assignedTo: null })).toMatchObject({
      teamId: "db",
      assignedTo: null,
    });
    expect(await act(bellhop, id, "reassign", { teamId: "db" })).toMatchObject({ teamId: "db" });
    const done = await act(bellhop, id, "resolve");
    expect(done).toMatchObject({ status: "resolved", resolvedAt: done.updatedAt });
    expect(await act(bellhop, id, "resolve")).toEqual(done);
    expect(await eventTypes(bellhop, id)).toEqual([
      "incident.created",
      "incident.acknowledged",
      "incident.escalated",
      "incident.escalated",
      "incident.reassigned",
      "incident.resolved",
    ]);
    const { events } = await getIncident(bellhop, id);
    expect(new Set(events.map(({ by }) => by))).toEqual(new Set(["bootstrap"]));
    expect(events.map(({ reason }) => reason)).toEqual([null, null, "no answer", null, null, null]);
    const audit = await auditOf(id);
    expect(audit.map(({ verb }) => verb)).toEqual([
      "create",
      "acknowledge",
      "escalate",
      "escalate",
      "reassign",
      "resolve",
    ]);
    expect(audit[2]?.detail).toContain("no answer");
  });

  test.each(["acknowledge", "escalate", "reassign"])(
    "a resolved incident refuses to %s, and says what to do",
    async (verb) => {
      const { id } = await createIncident(bellhop);
      await act(bellhop, id, "resolve");
      const problem = await problemOf(await post(`/incidents/${id}/${verb}`, { teamId: "x" }), 409, "conflict");
      expect(problem.detail).toContain("Create a new incident");
      expect(await eventTypes(bellhop, id)).toEqual(["incident.created", "incident.resolved"]);
    },
  );

  test.each(["acknowledge", "resolve"])("many concurrent requests to %s emit one event", async (verb) => {
    const { id } = await createIncident(bellhop);
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(`/incidents/${id}/${verb}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await eventTypes(bellhop, id)).toEqual(["incident.created", `incident.${verb}d`]);
  });

  test("concurrent escalations each raise the level", async () => {
    const { id } = await createIncident(bellhop);
    await Promise.all(Array.from({ length: 4 }, () => act(bellhop, id, "escalate")));
    expect((await getIncident(bellhop, id)).escalationLevel).toBe(4);
    expect((await eventTypes(bellhop, id)).filter((type) => type === "incident.escalated")).toHaveLength(4);
  });

  test("invalid bodies are refused", async () => {
    const { id } = await createIncident(bellhop);
    expect(await errorPathsOf(await post(`/incidents/${id}/reassign`, {}))).toEqual([""]);
    expect(await errorPathsOf(await post(`/incidents/${id}/reassign`, { teamId: 5, to: "x" }))).toEqual([
      "teamId",
      "to",
    ]);
    expect(await errorPathsOf(await post(`/incidents/${id}/escalate`, { reason: "", level: 2 }))).toEqual([
      "level",
      "reason",
    ]);
    expect(await eventTypes(bellhop, id)).toEqual(["incident.created"]);
  });

  test("an unknown incident is 404", async () => {
    for (const verb of ["acknowledge", "resolve", "escalate", "reassign"]) {
      await problemOf(await post(`/incidents/inc_none/${verb}`, { teamId: "x" }), 404, "not_found");
    }
    await problemOf(await call(bellhop, "GET", "/incidents/inc_none"), 404, "not_found");
  });
});

describe("the list", () => {
  test("is filtered by status, severity, service, source and creation, and paged", async () => {
    const mine = { service: "list", source: "list-test" };
    const high = await createIncident(bellhop, { ...mine, severity: "high" });
    const low = await createIncident(bellhop, { ...mine, severity: "low" });
    const done = await createIncident(bellhop, { ...mine, severity: "low" });
    await act(bellhop, done.id, "resolve");
    const idsOf = async (search: string) => (await listIncidents(bellhop, search)).map(({ id }) => id);
    expect(await idsOf("source=list-test")).toEqual([done.id, low.id, high.id]);
    expect(await idsOf("service=list&severity=low")).toEqual([done.id, low.id]);
    expect(await idsOf("source=list-test&status=resolved")).toEqual([done.id]);
    expect(await idsOf(`source=list-test&from=${low.createdAt}`)).toContain(low.id);
    expect(await idsOf(`source=list-test&to=${high.createdAt}`)).toContain(high.id);
    expect(await idsOf("source=list-test&from=2099-01-01T00:00:00Z")).toEqual([]);
    expect(await idsOf("source=list-test&to=2001-01-01T00:00:00Z")).toEqual([]);
    const first = await pageOf(await call(bellhop, "GET", "/incidents?source=list-test&limit=2"), incidentSchema);
    expect(first.items.map(({ id }) => id)).toEqual([done.id, low.id]);
    expect(await idsOf(`source=list-test&limit=2&cursor=${first.nextCursor}`)).toEqual([high.id]);
  });

  test("refuses invalid filters", async () => {
    const search = "status=open&severity=urgent&from=yesterday&limit=0";
    expect(await errorPathsOf(await call(bellhop, "GET", `/incidents?${search}`))).toEqual([
      "from",
      "limit",
      "severity",
      "status",
    ]);
    await problemOf(await call(bellhop, "GET", "/incidents?cursor=nonsense"), 400, "invalid_request");
  });
});
