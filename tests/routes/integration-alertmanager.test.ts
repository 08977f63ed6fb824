import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  act,
  aGroup,
  anAlert,
  createIncident,
  createIntegration,
  deliver,
  eventTypes,
  executionsOf,
  getIncident,
  incidentWorkflow,
  matched,
  outcomesOf,
  resultsOf,
} from "../support/incidents.ts";
import type { Integration } from "../support/incidents.ts";
import { errorPathsOf, problemOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
let integration: Integration;
beforeAll(async () => {
  bellhop = await startBellhop();
  integration = await createIntegration(bellhop, "alertmanager", "prometheus");
});
afterAll(() => bellhop.stop());

const send = (...alerts: unknown[]) => deliver(integration, aGroup(...alerts));
const idOf = async (response: Response, index = 0) => (await resultsOf(response))[index]?.incidentId ?? "none";

test("an alert becomes an incident and starts the workflows that match it", async () => {
  const conditions = { logic: "all", conditions: [{ field: "tags.alertname", operator: "equals", value: "Start" }] };
  const workflowId = await incidentWorkflow(bellhop, { conditions });
  const labels = { alertname: "Start", severity: "page", instance: "web-1:9100", service: "shop" };
  const alert = anAlert({ labels });
  const id = await idOf(await send(alert));
  expect(await getIncident(bellhop, id)).toMatchObject({
    title: "The disk is full",
    description: "sda1 at 99 %",
    severity: "critical",
    status: "triggered",
    service: "shop",
    source: "prometheus",
    host: "web-1",
    tags: labels,
    dedupKey: alert.fingerprint,
  });
  await matched(bellhop);
  expect(await executionsOf(bellhop, workflowId)).toMatchObject([
    { trigger: { incident: { id, eventType: "incident.created", host: "web-1" } } },
  ]);
  const audit = await query(bellhop, "select actor, verb, detail from audit_log where subject_id = ?", [id]);
  expect(audit).toMatchObject([{ actor: `integration:${integration.integration.id}`, verb: "create" }]);
  expect(String(audit[0]?.["detail"])).toContain("prometheus");
});

test("a group is split into one incident for each alert, and resolved alerts resolve theirs", async () => {
  const [one, two, three] = [anAlert(), anAlert(), anAlert()];
  const created = await resultsOf(await send(one, two, three));
  expect(created.map(({ index, outcome }) => [index, outcome])).toEqual([
    [0, "created"],
    [1, "created"],
    [2, "created"],
  ]);
  const over = { ...two, status: "resolved", endsAt: "2026-11-21T04:00:00Z" };
  expect(await outcomesOf(await send(one, over, three))).toEqual(["unchanged", "resolved", "unchanged"]);
  const statuses = await Promise.all(created.map(({ incidentId }) => getIncident(bellhop, incidentId ?? "")));
  expect(statuses.map(({ status }) => status)).toEqual(["triggered", "resolved", "triggered"]);
  expect(await eventTypes(bellhop, created[1]?.incidentId ?? "")).toEqual(["incident.created", "incident.resolved"]);
});

describe("a repeated notification", () => {
  test("changes nothing, even when many arrive at the same moment", async () => {
    const workflowId = await incidentWorkflow(bellhop, {
      conditions: { logic: "all", conditions: [{ field: "tags.case", operator: "equals", value: "storm" }] },
    });
    const alerts = Array.from({ length: 5 }, () => anAlert({ labels: { case: "storm" } }));
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(...alerts)));
    const outcomes = (await Promise.all(answers.map(outcomesOf))).flat();
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === "unchanged")).toHaveLength(25);
    await matched(bellhop);
    expect(await executionsOf(bellhop, workflowId)).toHaveLength(5);
  });

  test("of a resolved alert resolves nothing again", async () => {
    const alert = anAlert();
    const id = await idOf(await send(alert));
    const over = { ...alert, status: "resolved" };
    const answers = await Promise.all([send(over), send(over), send(over)]);
    expect((await Promise.all(answers.map(outcomesOf))).flat().sort()).toEqual(["resolved", "unchanged", "unchanged"]);
    expect(await eventTypes(bellhop, id)).toEqual(["incident.created", "incident.resolved"]);
  });
});

describe("a firing alert whose incident is resolved", () => {
  test("opens nothing when it is a late repetition; a new firing opens another incident", async () => {
    const alert = anAlert();
    const first = await idOf(await send(alert));
    await send({ ...alert, status: "resolved" });
    const [late] = await resultsOf(await send(alert));
    expect(late).toMatchObject({ outcome: "ignored", incidentId: first });
    expect(late?.detail).toContain("resolved");
    const firingAgain = { ...alert, startsAt: "2026-11-21T05:00:00Z" };
    const [next] = await resultsOf(await send(firingAgain));
    expect(next?.outcome).toBe("created");
    expect(next?.incidentId).not.toBe(first);
    // The old end comes again, too late to end the new incident.
    expect(await outcomesOf(await send({ ...alert, status: "resolved" }))).toEqual(["unchanged"]);
    expect(await getIncident(bellhop, next?.incidentId ?? "")).toMatchObject({ status: "triggered" });
  });

  test("opens no other one after the incident was deleted by age", async () => {
    const alert = anAlert();
    const id = await idOf(await send(alert));
    await act(bellhop, id, "resolve");
    await query(bellhop, "delete from incidents where id = ?", [id]);
    const [late] = await resultsOf(await send(alert));
    expect(late).toMatchObject({ outcome: "ignored", incidentId: null });
    expect(late?.detail).toContain("its incident was deleted");
    expect(await outcomesOf(await send({ ...alert, status: "resolved" }, alert))).toEqual(["ignored", "ignored"]);
  });

  test("leaves an incident resolved that a person resolved", async () => {
    const alert = anAlert();
    const id = await idOf(await send(alert));
    await act(bellhop, id, "resolve");
    expect(await outcomesOf(await send(alert))).toEqual(["ignored"]);
  });
});

describe("an end that comes before its beginning", () => {
  test("keeps the late beginning from opening an incident that nothing would end", async () => {
    const alert = anAlert();
    const over = { ...alert, status: "resolved" };
    expect(await outcomesOf(await send(over))).toEqual(["ignored"]);
    const [late] = await resultsOf(await send(alert));
    expect(late).toMatchObject({ outcome: "ignored", incidentId: null });
    expect(late?.detail).toContain("over");
    // The next firing is separate, and the repeated old end does not end it.
    const id = await idOf(await send({ ...alert, startsAt: "2026-11-21T05:00:00Z" }));
    expect(await outcomesOf(await send(over))).toEqual(["ignored"]);
    expect(await getIncident(bellhop, id)).toMatchObject({ status: "triggered" });
  });

  test("ends the alert also in one delivery or in simultaneous ones", async () => {
    const [one, two] = [anAlert(), anAlert()];
    expect(await outcomesOf(await send({ ...one, status: "resolved" }, one))).toEqual(["ignored", "ignored"]);
    await Promise.all([send({ ...two, status: "resolved" }), send(two)]);
    const again = await resultsOf(await send({ ...two, status: "resolved" }));
    expect(["ignored", "resolved", "unchanged"]).toContain(again[0]?.outcome ?? "");
    const open = "select id from incidents where dedup_key like ? and status <> 'resolved'";
    expect(await query(bellhop, open, [`%:${two.fingerprint}`])).toEqual([]);
  });
});

describe("a large group", () => {
  test("takes few batches, and two simultaneous deliveries do not double it", async () => {
    const alerts = Array.from({ length: 120 }, () => anAlert());
    await send(alerts[7], alerts[70], { ...alerts[71], status: "resolved" });
    const answers = await Promise.all([send(...alerts), send(...alerts)]);
    const results = await Promise.all(answers.map(resultsOf));
    for (const list of results) expect(list.map(({ index }) => index)).toEqual(alerts.map((_, index) => index));
    const outcomes = Object.groupBy(results.flat(), ({ outcome }) => outcome);
    expect(
      Object.entries(outcomes)
        .map(([outcome, list]) => [outcome, list.length])
        .sort(),
    ).toEqual([
      ["created", 117],
      ["ignored", 2],
      ["unchanged", 121],
    ]);
    await matched(bellhop);
  });

  test("with more changes than one delivery makes continues when it is sent again", async () => {
    const alerts = Array.from({ length: 1_010 }, () => anAlert({ annotations: {}, labels: { group: "huge" } }));
    const first = await send(...alerts);
    expect(first.headers.get("Retry-After")).toBe("1");
    expect((await problemOf(first, 503, "unavailable")).detail).toContain("1000 were made");
    const outcomes = await outcomesOf(await send(...alerts));
    expect(outcomes.filter((outcome) => outcome === "unchanged")).toHaveLength(1_000);
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(10);
    await matched(bellhop);
  });

  test("of more than 1 MiB is taken, and of more than 4 MiB is refused", async () => {
    const description = "x".repeat(60_000);
    const alerts = (count: number) => Array.from({ length: count }, () => anAlert({ annotations: { description } }));
    const results = await resultsOf(await send(...alerts(40)));
    expect(results.map(({ index, outcome }) => [index, outcome])).toEqual(
      Array.from({ length: 40 }, (_, index) => [index, "created"]),
    );
    await problemOf(await send(...alerts(80)), 413, "payload_too_large");
    await matched(bellhop);
  });

  test("changes one incident several times in its order", async () => {
    const [alert, other] = [anAlert(), anAlert()];
    const changed = { ...alert, annotations: { summary: "Fuller" } };
    const over = { ...alert, status: "resolved" };
    const firingAgain = { ...alert, startsAt: "2026-11-21T05:00:00Z" };
    const results = await resultsOf(await send(alert, changed, other, over, over, alert, firingAgain));
    expect(results.map(({ outcome }) => outcome)).toEqual([
      "created",
      "updated",
      "created",
      "resolved",
      "unchanged",
      "ignored",
      "created",
    ]);
    const id = results[0]?.incidentId ?? "";
    expect(await getIncident(bellhop, id)).toMatchObject({ title: "Fuller", status: "resolved" });
    expect(await eventTypes(bellhop, id)).toEqual(["incident.created", "incident.resolved"]);
    expect(results[6]?.incidentId).not.toBe(id);
  });
});

test("an alert that fires again while its incident is open belongs to that incident", async () => {
  const alert = anAlert();
  const id = await idOf(await send(alert));
  const firingAgain = { ...alert, startsAt: "2026-11-21T06:00:00Z" };
  expect(await resultsOf(await send(firingAgain))).toMatchObject([{ outcome: "unchanged", incidentId: id }]);
  expect(await outcomesOf(await send({ ...firingAgain, status: "resolved" }))).toEqual(["resolved"]);
  expect(await outcomesOf(await send(firingAgain))).toEqual(["ignored"]);
});

test("an alert with changed annotations updates its incident without an event", async () => {
  const alert = anAlert();
  const id = await idOf(await send(alert));
  await act(bellhop, id, "acknowledge");
  const changed = { ...alert, annotations: { summary: "The disk is fuller" } };
  expect(await outcomesOf(await send(changed))).toEqual(["updated"]);
  expect(await outcomesOf(await send(changed))).toEqual(["unchanged"]);
  expect(await getIncident(bellhop, id)).toMatchObject({
    title: "The disk is fuller",
    description: null,
    status: "acknowledged",
  });
  expect(await eventTypes(bellhop, id)).toEqual(["incident.created", "incident.acknowledged"]);
});

test("concurrent changes of annotations are each written", async () => {
  const alert = anAlert();
  const id = await idOf(await send(alert));
  const changes = ["a", "b", "c", "d", "e", "f"].map((summary) => ({ ...alert, annotations: { summary } }));
  const answers = await Promise.all(changes.map((changed) => send(changed, anAlert())));
  const outcomes = (await Promise.all(answers.map(outcomesOf))).flat();
  expect(outcomes.filter((outcome) => outcome === "updated")).toHaveLength(6);
  expect(await query(bellhop, "select revision from incidents where id = ?", [id])).toMatchObject([{ revision: 7 }]);
});

test("the dedup keys of integrations and of the API are separate", async () => {
  const alert = anAlert();
  const first = await idOf(await send(alert));
  const other = await createIntegration(bellhop, "alertmanager");
  const second = await idOf(await deliver(other, aGroup(alert)));
  const third = await createIncident(bellhop, { dedupKey: alert.fingerprint });
  const scoped = await createIncident(bellhop, { dedupKey: `${integration.integration.id}:${alert.fingerprint}` });
  expect(new Set([first, second, third.id, scoped.id]).size).toBe(4);
  await deliver(other, aGroup({ ...alert, status: "resolved" }));
  expect(await getIncident(bellhop, first)).toMatchObject({ status: "triggered" });
  expect(await getIncident(bellhop, third.id)).toMatchObject({ status: "triggered" });
});

describe("an invalid alert", () => {
  test("is reported, and does not block the other alerts", async () => {
    const bad = { ...anAlert(), status: "flapping", startsAt: "yesterday" };
    const results = await resultsOf(
      await send(anAlert(), bad, "no alert", { ...anAlert(), fingerprint: undefined }, anAlert()),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(["created", "rejected", "rejected", "rejected", "created"]);
    expect(results[1]?.detail).toContain("alerts.1.status must be one of firing, resolved");
    expect(results[1]?.detail).toContain("alerts.1.startsAt");
    expect(results[3]?.detail).toBe("alerts.3.fingerprint is required");
  });

  test.each<[string, unknown, string[]]>([
    ["a body of another form", { version: "4" }, ["alerts"]],
    ["a list", [anAlert()], [""]],
    [
      "only invalid alerts",
      aGroup({}, 5),
      ["alerts.0.fingerprint", "alerts.0.labels", "alerts.0.startsAt", "alerts.0.status", "alerts.1"],
    ],
    ["labels that are not text", aGroup({ ...anAlert(), labels: { a: 1 } }), ["alerts.0.labels.a"]],
  ])("%s is a 400 with the paths", async (_name, body, paths) => {
    expect(await errorPathsOf(await deliver(integration, body))).toEqual(paths);
  });

  test("an empty body is a 400, and an empty group is accepted", async () => {
    expect(await errorPathsOf(await deliver(integration, ""))).toEqual(["alerts"]);
    expect(await resultsOf(await send())).toEqual([]);
  });
});
