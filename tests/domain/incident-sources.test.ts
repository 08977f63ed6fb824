import { describe, expect, test } from "bun:test";
import { cloudEventIncidentSchema } from "../../schema/contract/integration.ts";
import type { CloudEvent, PagerdutyEvent } from "../../schema/contract/integration.ts";
import { attributesOfHeaders } from "../../worker/domain/incident/cloudevent-headers.ts";
import { cloudEventSignal } from "../../worker/domain/incident/cloudevent.ts";
import { pagerdutySignal } from "../../worker/domain/incident/pagerduty.ts";

describe("an event of PagerDuty's API", () => {
  const TRIGGER: PagerdutyEvent = {
    event_action: "trigger",
    dedup_key: "disk",
    payload: {
      summary: "The disk is full",
      source: "web-1",
      severity: "error",
      component: "mysql",
      group: "shop",
      custom_details: { description: "sda1", free: 0.5, list: [1, 2], none: null, "x.y": "z" },
    },
    client: "Monitor",
  };

  test("that triggers becomes an incident", () => {
    expect(pagerdutySignal(TRIGGER, "new")).toEqual({
      dedupKey: "disk",
      occurrence: null,
      messageId: null,
      action: "trigger",
      incident: {
        title: "The disk is full",
        description: "sda1",
        severity: "high",
        service: "mysql",
        source: null,
        host: "web-1",
        teamId: null,
        assignedTo: null,
        tags: {
          component: "mysql",
          group: "shop",
          client: "Monitor",
          description: "sda1",
          free: "0.5",
          list: "[1,2]",
          "x.y": "z",
        },
      },
    });
  });

  test("gets a new key if it has none, and a description if its details are text", () => {
    const payload = { summary: "s", source: "h", severity: "info", custom_details: "text" } as const;
    expect(pagerdutySignal({ event_action: "trigger", payload }, "new")).toMatchObject({
      dedupKey: "new",
      incident: { description: "text", severity: "low", service: null, tags: {} },
    });
  });

  test.each(["acknowledge", "resolve"] as const)("that says %s gets that action", (action) => {
    expect(pagerdutySignal({ event_action: action, dedup_key: "disk" }, "new")).toEqual({
      dedupKey: "disk",
      occurrence: null,
      messageId: null,
      action,
    });
  });
});

describe("a CloudEvent", () => {
  const EVENT: CloudEvent = {
    specversion: "1.0",
    id: "e1",
    source: "/mon",
    type: "com.example.disk",
    subject: "web-1",
  };
  const read = (changes: Partial<CloudEvent>) => {
    const event = { ...EVENT, ...changes };
    const isObject = typeof event.data === "object" && event.data !== null;
    return cloudEventSignal(event, cloudEventIncidentSchema.parse(isObject ? event.data : {}));
  };
  const signalOf = (changes: Partial<CloudEvent>) => {
    const result = read(changes);
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    return result.signal;
  };

  test("becomes an incident with its attributes as tags", () => {
    const data = {
      title: "Disk full",
      severity: "P1",
      service: "shop",
      host: "web-1",
      teamId: "ops",
      assignedTo: "ann",
      tags: { zone: "a", free: 3, canary: true },
      more: { not: "looked at" },
    };
    expect(signalOf({ data, region: "eu" })).toEqual({
      dedupKey: "/mon web-1",
      occurrence: null,
      messageId: "/mon e1",
      action: "trigger",
      incident: {
        title: "Disk full",
        description: null,
        severity: "critical",
        service: "shop",
        source: null,
        host: "web-1",
        teamId: "ops",
        assignedTo: "ann",
        tags: {
          zone: "a",
          free: "3",
          canary: "true",
          "ce.id": "e1",
          "ce.source": "/mon",
          "ce.type": "com.example.disk",
          "ce.subject": "web-1",
          "ce.region": "eu",
        },
      },
    });
  });

  test("without data takes its fields from its attributes", () => {
    expect(signalOf({})).toMatchObject({ incident: { title: "com.example.disk: web-1", severity: "medium" } });
    expect(signalOf({ subject: undefined, data: "just text" })).toMatchObject({
      dedupKey: "/mon e1",
      incident: { title: "com.example.disk", description: "just text" },
    });
  });

  test.each([
    ["com.example.alert.resolved", undefined, "resolve"],
    ["com.example.alert.Closed", undefined, "resolve"],
    ["alert:recovered", undefined, "resolve"],
    ["com.example.alert.acknowledged", undefined, "acknowledge"],
    ["com.example.alert.updated", "resolved", "resolve"],
    ["com.example.alert.updated", "acknowledged", "acknowledge"],
    ["com.example.alert.updated", "firing", "trigger"],
    ["com.example.alert.updated", "another", "trigger"],
    // The type has precedence.
    ["com.example.alert.created", "resolved", "trigger"],
    ["com.example.unresolved", undefined, "trigger"],
  ] as const)("of type %s with status %p: %s", (type, status, action) => {
    expect(signalOf({ type, data: status === undefined ? {} : { status } }).action).toBe(action);
  });

  test("is keyed by data.dedupKey if it has one", () => {
    expect(signalOf({ data: { dedupKey: "disk" } }).dedupKey).toBe("disk");
  });

  test("that resolves must have a key", () => {
    const result = read({ type: "alert.resolved", subject: undefined });
    expect(result).toMatchObject({ ok: false, errors: [{ path: "subject" }] });
  });

  test.each<[unknown, object]>([
    [{ severity: "weird" }, { severity: "medium" }],
    [{ severity: 3 }, { severity: "medium" }],
    [{ title: null, summary: "Full" }, { title: "Full" }],
    [
      { message: { text: "Full" }, source: { host: "web-1" } },
      { title: "com.example.disk: web-1", source: null },
    ],
    [{ tags: ["a"] }, { tags: expect.not.objectContaining({ 0: "a" }) }],
    [
      { tags: { a: null, b: {}, c: 1, d: true, e: "e" } },
      { tags: expect.objectContaining({ c: "1", d: "true", e: "e" }) },
    ],
    [{ tags: { a: null } }, { tags: expect.not.objectContaining({ a: expect.anything() }) }],
  ])("with data %j is %j, because fields of a wrong type are ignored", (data, incident) => {
    expect(signalOf({ data })).toMatchObject({ action: "trigger", dedupKey: "/mon web-1", incident });
  });

  test.each([{ status: { phase: "Failed" } }, { status: 500 }, { dedupKey: 5 }, { dedupKey: "" }])(
    "with data %j opens an incident that is keyed by its subject",
    (data) => {
      expect(signalOf({ data })).toMatchObject({ action: "trigger", dedupKey: "/mon web-1" });
    },
  );
});

test("the headers of a binary CloudEvent are percent-decoded once, and unquoted", () => {
  expect(
    attributesOfHeaders([
      ["CE-Id", "a%20b%E2%82%AC"],
      ["ce-source", '"quoted \\"text\\""'],
      ["ce-type", "100% sure %2541"],
      ["ce-subject", "%FF"],
      ["ce-data", "no attribute"],
      ["ce-bad_name", "no attribute"],
      ["content-type", "application/json"],
    ]),
  ).toEqual({ id: "a b€", source: 'quoted "text"', type: "100% sure %41", subject: "%FF" });
});
