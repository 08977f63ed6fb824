import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  createIntegration,
  deliver,
  eventTypes,
  executionsOf,
  getIncident,
  incidentWorkflow,
  listIncidents,
  matched,
} from "../support/incidents.ts";
import type { Integration } from "../support/incidents.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
let integration: Integration;
beforeAll(async () => {
  bellhop = await startBellhop();
  integration = await createIntegration(bellhop, "pagerduty");
});
afterAll(() => bellhop.stop());

const acceptedSchema = z.strictObject({
  status: z.literal("success"),
  message: z.literal("Event processed"),
  dedup_key: z.string().min(1),
});
const refusedSchema = z.strictObject({
  status: z.literal("invalid event"),
  message: z.string(),
  errors: z.array(z.string()).min(1),
});
const payload = { summary: "The disk is full", source: "web-1", severity: "error", component: "shop" };
const trigger = (dedup_key: string, changes: object = {}) => ({
  routing_key: "0123456789abcdef0123456789abcdef",
  event_action: "trigger",
  dedup_key,
  payload: { ...payload, ...changes },
});

/** Sends an event that must be accepted, and returns its key. */
async function accepted(body: object, to: Pick<Integration, "url"> = integration): Promise<string> {
  const response = await deliver(to, body);
  expect(response.status).toBe(202);
  return acceptedSchema.parse(await response.json()).dedup_key;
}
/** The incidents of a key, newest first. */
async function ofKey(key: string) {
  return (await listIncidents(bellhop, "limit=200")).filter(({ dedupKey }) => dedupKey === key);
}

test("trigger, acknowledge and resolve change an incident once each", async () => {
  const workflowId = await incidentWorkflow(bellhop, {
    events: ["incident.created", "incident.acknowledged", "incident.resolved"],
    conditions: { logic: "all", conditions: [{ field: "host", operator: "equals", value: "life" }] },
  });
  expect(await accepted(trigger("life", { source: "life" }))).toBe("life");
  await accepted(trigger("life", { source: "life" }));
  const [incident, ...others] = await ofKey("life");
  expect(others).toEqual([]);
  expect(incident).toMatchObject({
    title: "The disk is full",
    severity: "high",
    host: "life",
    service: "shop",
    source: "a source",
  });
  for (const event_action of ["acknowledge", "acknowledge", "resolve", "resolve", "acknowledge"]) {
    expect(await accepted({ event_action, dedup_key: "life" })).toBe("life");
  }
  const id = incident?.id ?? "";
  expect(await eventTypes(bellhop, id)).toEqual(["incident.created", "incident.acknowledged", "incident.resolved"]);
  expect(await getIncident(bellhop, id)).toMatchObject({ status: "resolved" });
  await matched(bellhop);
  expect(await executionsOf(bellhop, workflowId)).toHaveLength(3);
});

test("a trigger for a resolved incident opens another one", async () => {
  await accepted(trigger("again"));
  await accepted({ event_action: "resolve", dedup_key: "again" });
  await accepted(trigger("again"));
  expect((await ofKey("again")).map(({ status }) => status)).toEqual(["triggered", "resolved"]);
});

test("a trigger for an open incident updates it", async () => {
  await accepted(trigger("worse"));
  await accepted(trigger("worse", { severity: "critical", summary: "Both disks are full" }));
  expect(await ofKey("worse")).toMatchObject([{ severity: "critical", title: "Both disks are full" }]);
});

test("a trigger without a key gets one, and the key resolves the incident", async () => {
  const { dedup_key: _none, ...keyless } = trigger("");
  const key = await accepted(keyless);
  expect(await accepted(keyless)).not.toBe(key);
  await accepted({ event_action: "resolve", dedup_key: key });
  expect(await ofKey(key)).toMatchObject([{ status: "resolved" }]);
});

test("an acknowledge or resolve without an open incident is accepted and does nothing", async () => {
  await accepted({ event_action: "acknowledge", dedup_key: "unknown" });
  await accepted({ event_action: "resolve", dedup_key: "unknown" });
  expect(await ofKey("unknown")).toEqual([]);
});

test("many simultaneous events make one incident, one event and one resolution", async () => {
  await Promise.all(Array.from({ length: 6 }, () => accepted(trigger("storm"))));
  const [incident, ...others] = await ofKey("storm");
  expect(others).toEqual([]);
  await Promise.all(Array.from({ length: 6 }, () => accepted({ event_action: "resolve", dedup_key: "storm" })));
  expect(await eventTypes(bellhop, incident?.id ?? "")).toEqual(["incident.created", "incident.resolved"]);
  const audit = await query(bellhop, "select verb from audit_log where subject_id = ? order by id", [
    incident?.id ?? "",
  ]);
  expect(audit.map((row) => row["verb"])).toEqual(["create", "resolve"]);
});

test("clients that append /v2/enqueue to the address are served, too", async () => {
  expect(await accepted(trigger("enqueue"), { url: `${integration.url}/v2/enqueue` })).toBe("enqueue");
  expect(await ofKey("enqueue")).toHaveLength(1);
});

describe("an invalid event gets a problem in PagerDuty's form", () => {
  test.each<[string, unknown, string[]]>([
    ["without any field", {}, ["event_action"]],
    ["of another action", { event_action: "close", dedup_key: "x" }, ["event_action"]],
    ["without a payload", { event_action: "trigger" }, ["payload"]],
    [
      "with an empty payload",
      { event_action: "trigger", payload: { summary: " " } },
      ["payload.summary", "payload.source", "payload.severity"],
    ],
    ["of an unknown severity", trigger("x", { severity: "urgent" }), ["payload.severity"]],
    ["that resolves without a key", { event_action: "resolve" }, ["dedup_key"]],
    ["with a key that is too long", trigger("k".repeat(256)), ["dedup_key"]],
    ["that is not an object", [1], ["must be an object"]],
    ["that is not JSON", "{", ["The body is not valid JSON"]],
  ])("%s", async (_name, body, starts) => {
    const response = await deliver(integration, body);
    expect(response.status).toBe(400);
    const { errors } = refusedSchema.parse(await response.json());
    expect(errors).toHaveLength(starts.length);
    starts.forEach((start, index) => expect(errors[index]).toStartWith(start));
  });
});
