import { describe, expect, test } from "bun:test";
import { assignmentChange } from "../../console/views/incidents/assignment.ts";
import { filterOf, queryOf } from "../../console/views/incidents/filter.ts";
import { readTags } from "../../console/views/incidents/tags.ts";
import { keyOf } from "../../console/views/integrations/kinds.ts";
import { startedByNewIncidents } from "../../console/views/integrations/would-start.ts";

describe("the filter in the address", () => {
  test("comes back as it went in, and leaves out what makes no sense", () => {
    const filter = { status: "resolved", severity: "low", service: "a & b" } as const;
    expect(filterOf(queryOf(filter))).toEqual(filter);
    expect(filterOf(new URLSearchParams("status=open&severity=&source="))).toEqual({});
  });
});

describe("tags as they are typed", () => {
  test.each([
    ["", { tags: {} }],
    ["region=eu-1\n\n url = https://x/?a=b ", { tags: { region: "eu-1", url: "https://x/?a=b" } }],
    ["empty=", { tags: { empty: "" } }],
    ["region=eu-1\nfull", { wrongLine: "full" }],
    [" =x", { wrongLine: "=x" }],
  ])("%j: %j", (text, expected) => {
    expect(readTags(text)).toEqual(expected);
  });
});

describe("what of an assignment is sent", () => {
  const before = { teamId: "payments", assignedTo: null };
  test.each([
    [{ teamId: "payments", assignedTo: "" }, {}],
    [{ teamId: "", assignedTo: "" }, { teamId: null }],
    [{ teamId: "payments", assignedTo: " ada " }, { assignedTo: "ada" }],
  ])("%j: %j", (typed, expected) => {
    expect(assignmentChange(before, typed)).toEqual(expected);
  });
});

describe("an integration's address", () => {
  const key = `itg${"a".repeat(10)}_${"B".repeat(43)}`;
  test.each([
    [`https://bellhop.example.com/api/v1/integrations/pagerduty/${key}`, "pagerduty", { key }],
    [` https://bellhop.example.com/api/v1/integrations/pagerduty/${key}/v2/enqueue `, "pagerduty", { key }],
    [
      `https://bellhop.example.com/api/v1/integrations/cloudevents/${key}`,
      "pagerduty",
      { problem: expect.stringContaining("for cloudevents") },
    ],
    [
      `https://bellhop.example.com/api/v1/integrations/pagerduty/${key}x`,
      "pagerduty",
      { problem: expect.stringContaining("not the address") },
    ],
    ["", "alertmanager", { problem: expect.any(String) }],
  ] as const)("%p, of kind %p", (address, kind, expected) => {
    expect(keyOf(address, kind)).toEqual(expected);
  });
});

test("only published, active workflows that wait for new incidents are said to start; those without conditions surely", () => {
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
