import { describe, expect, test } from "bun:test";
import { assignmentChange } from "../../console/views/incidents/assignment.ts";
import { filterOf, queryOf } from "../../console/views/incidents/filter.ts";
import { readTags } from "../../console/views/incidents/tags.ts";
import { keyOf } from "../../console/views/integrations/kinds.ts";
import { startedByNewIncidents } from "../../console/views/integrations/would-start.ts";

describe("the filter of incidents in the URL", () => {
  test("is read back unchanged, and invalid values are ignored", () => {
    const filter = { status: "resolved", severity: "low", service: "a & b" } as const;
    expect(filterOf(queryOf(filter))).toEqual(filter);
    expect(filterOf(new URLSearchParams("status=open&severity=&source="))).toEqual({});
  });
});

describe("typed tags", () => {
  test.each([
    ["", { tags: {} }],
    ["region=eu-1\n\n url = https://x/?a=b ", { tags: { region: "eu-1", url: "https://x/?a=b" } }],
    ["empty=", { tags: { empty: "" } }],
    ["region=eu-1\nfull", { wrongLine: "full" }],
    [" =x", { wrongLine: "=x" }],
  ])("%j are read as %j", (text, expected) => {
    expect(readTags(text)).toEqual(expected);
  });
});

describe("the request of an assignment", () => {
  const before = { teamId: "payments", assignedTo: null };
  test.each([
    [{ teamId: "payments", assignedTo: "" }, {}],
    [{ teamId: "", assignedTo: "" }, { teamId: null }],
    [{ teamId: "payments", assignedTo: " ada " }, { assignedTo: "ada" }],
  ])("for %j has the changed fields %j", (typed, expected) => {
    expect(assignmentChange(before, typed)).toEqual(expected);
  });
});

describe("an integration's URL", () => {
  const key = `itg${"a".repeat(10)}_${"B".repeat(43)}`;
  test.each([
    [`https://bellhop.example.com/api/v1/integrations/pagerduty/${key}`, "pagerduty", { key }],
    [` https://bellhop.example.com/api/v1/integrations/pagerduty/${key}/v2/enqueue `, "pagerduty", { key }],
    [
      `https://bellhop.example.com/api/v1/integrations/cloudevents/${key}`,
      "pagerduty",
      { problem: expect.stringContaining("for CloudEvents 1.0") },
    ],
    [
      `https://bellhop.example.com/api/v1/integrations/pagerduty/${key}x`,
      "pagerduty",
      { problem: expect.stringContaining("not the URL") },
    ],
    ["", "alertmanager", { problem: expect.any(String) }],
  ] as const)("%p has a key or a problem for kind %p", (address, kind, expected) => {
    expect(keyOf(address, kind)).toEqual(expected);
  });
});

test("a test event lists published, active workflows with an incident trigger, and marks those without conditions", () => {
  const condition = { field: "severity", operator: "equals", value: "critical" } as const;
  const base = { active: true, published: true };
  const trigger = { type: "incident" as const, events: ["incident.created" as const] };
  const found = startedByNewIncidents([
    { id: "1", name: "all", ...base, trigger },
    { id: "2", name: "some", ...base, trigger: { ...trigger, conditions: { logic: "all", conditions: [condition] } } },
    { id: "3", name: "off", ...base, active: false, trigger },
    { id: "4", name: "draft", ...base, published: false, trigger },
    { id: "5", name: "ends", ...base, trigger: { ...trigger, events: ["incident.resolved"] } },
    { id: "6", name: "webhook", ...base, trigger: { type: "webhook" } },
  ]);
  expect(found.map(({ name, isUnconditional }) => [name, isUnconditional])).toEqual([
    ["all", true],
    ["some", false],
  ]);
});
