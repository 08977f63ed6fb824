import { describe, expect, test } from "bun:test";
import {
  acknowledge,
  bringUpToDate,
  escalate,
  reassign,
  resolve,
  snapshotOf,
} from "../../worker/domain/incident/index.ts";
import type { Incident, Report, Transition } from "../../worker/domain/incident/index.ts";

const NOW = Date.parse("2026-11-21T04:00:00.000Z");
const INCIDENT: Incident = {
  id: "inc_1",
  title: "Disk full",
  description: "sda1",
  severity: "high",
  status: "triggered",
  service: "shop",
  source: "alertmanager",
  host: "web-1",
  teamId: "ops",
  assignedTo: "ann",
  tags: { "kubernetes.io/name": "shop", zone: "a" },
  dedupKey: "api:disk",
  escalationLevel: 0,
  createdAt: Date.parse("2026-11-21T03:00:00.000Z"),
  updatedAt: Date.parse("2026-11-21T03:00:00.000Z"),
  resolvedAt: null,
};
const as = (status: Incident["status"]): Incident => ({ ...INCIDENT, status });

describe("the event or refusal in each status for the verb", () => {
  const cases: [string, (incident: Incident) => Transition, Record<Incident["status"], string>][] = [
    [
      "acknowledge",
      (incident) => acknowledge(incident, NOW),
      { triggered: "incident.acknowledged", acknowledged: "unchanged", resolved: "refused" },
    ],
    [
      "resolve",
      (incident) => resolve(incident, NOW),
      { triggered: "incident.resolved", acknowledged: "incident.resolved", resolved: "unchanged" },
    ],
    [
      "escalate",
      (incident) => escalate(incident, {}, NOW),
      { triggered: "incident.escalated", acknowledged: "incident.escalated", resolved: "refused" },
    ],
    [
      "reassign",
      (incident) => reassign(incident, { teamId: "db" }, NOW),
      { triggered: "incident.reassigned", acknowledged: "incident.reassigned", resolved: "refused" },
    ],
  ];
  test.each(cases)("%s", (_verb, act, expected) => {
    for (const status of ["triggered", "acknowledged", "resolved"] as const) {
      const transition = act(as(status));
      const said: string = transition.type === "changed" ? transition.event : transition.type;
      expect({ status, said }).toEqual({ status, said: expected[status] });
      if (transition.type === "changed") expect(transition.incident.updatedAt).toBe(NOW);
      if (transition.type === "refused") expect(transition.advice).toContain("Create a new incident");
    }
  });
});

test("acknowledging and resolving change the status and nothing else", () => {
  expect(acknowledge(INCIDENT, NOW)).toEqual({
    type: "changed",
    event: "incident.acknowledged",
    incident: { ...INCIDENT, status: "acknowledged", updatedAt: NOW },
  });
  expect(resolve(INCIDENT, NOW)).toEqual({
    type: "changed",
    event: "incident.resolved",
    incident: { ...INCIDENT, status: "resolved", updatedAt: NOW, resolvedAt: NOW },
  });
});

test("escalating raises the level each time and may name an assignee; the status stays", () => {
  expect(escalate(as("acknowledged"), { assignedTo: "bob", teamId: null }, NOW)).toMatchObject({
    incident: { status: "acknowledged", escalationLevel: 1, assignedTo: "bob", teamId: null },
  });
  expect(escalate({ ...INCIDENT, escalationLevel: 4 }, {}, NOW)).toMatchObject({
    incident: { escalationLevel: 5, assignedTo: "ann", teamId: "ops" },
  });
});

describe("reassigning", () => {
  test.each([
    [{ teamId: "db" }, { teamId: "db", assignedTo: "ann" }],
    [{ assignedTo: "bob" }, { teamId: "ops", assignedTo: "bob" }],
    [{ assignedTo: null }, { teamId: "ops", assignedTo: null }],
    [
      { teamId: "db", assignedTo: null },
      { teamId: "db", assignedTo: null },
    ],
  ])("%j gives %j", (to, expected) => {
    expect(reassign(INCIDENT, to, NOW)).toMatchObject({ type: "changed", incident: expected });
  });

  test("to the current assignee changes nothing", () => {
    expect(reassign(INCIDENT, { teamId: "ops", assignedTo: "ann" }, NOW).type).toBe("unchanged");
  });
});

describe("another report of an open incident", () => {
  test("updates title, description, severity and tags, and leaves the other fields", () => {
    const report: Report = { title: "Disk fuller", description: "sdb1", severity: "critical", tags: { zone: "b" } };
    expect(bringUpToDate(INCIDENT, report, NOW)).toEqual({ ...INCIDENT, ...report, updatedAt: NOW });
  });

  test.each<Report>([
    {},
    { title: "Disk full" },
    { severity: "high", description: "sda1" },
    { tags: { zone: "a", "kubernetes.io/name": "shop" } },
  ])("with the same values changes nothing: %j", (report) => {
    expect(bringUpToDate(INCIDENT, report, NOW)).toBeNull();
  });

  test.each<Report>([{ tags: { zone: "a" } }, { tags: { zone: "a", toString: "shop" } }, { description: null }])(
    "with new values changes the incident: %j",
    (report) => {
      expect(bringUpToDate(INCIDENT, report, NOW)).toMatchObject(report);
    },
  );
});

test("an event's snapshot has source, the names of docs/design/templates.md#names, and no other field", () => {
  expect(snapshotOf(INCIDENT, "incident.created")).toEqual({
    id: "inc_1",
    title: "Disk full",
    description: "sda1",
    severity: "high",
    status: "triggered",
    service: "shop",
    source: "alertmanager",
    host: "web-1",
    teamId: "ops",
    assignedTo: "ann",
    createdAt: "2026-11-21T03:00:00.000Z",
    tags: { "kubernetes.io/name": "shop", zone: "a" },
    eventType: "incident.created",
  });
});
