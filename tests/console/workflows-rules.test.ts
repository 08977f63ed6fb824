import { describe, expect, test } from "bun:test";
import { changesBetween } from "../../console/views/workflows/changes.ts";
import type { Content } from "../../console/views/workflows/changes.ts";
import { cronLabel, scheduleLabel } from "../../console/workflow-forms/cron-labels.ts";
import { isFiltering, passesFilter } from "../../console/views/workflows/filter.ts";
import { firstTyped, readInputs, readVariables } from "../../console/views/workflows/inputs.ts";
import type { ManualInputs } from "../../console/views/workflows/inputs.ts";
import { isSameJson } from "../../console/views/workflows/same.ts";
import { sampleVariables } from "../../console/workflow-forms/sample-variables.ts";
import { stateOf } from "../../console/views/workflows/state.ts";
import { versionYaml } from "../../console/views/workflows/version-yaml.ts";
import { whyWebhookAnswers404 } from "../../console/views/workflows/webhook-reasons.ts";
import { groupLabel } from "../../console/graph/condition-label.ts";
import { nodeLabel, triggerLabel } from "../../console/views/workflows/labels.ts";
import type { ConditionGroup } from "../../schema/contract/condition.ts";
import { CRON_PRESETS } from "../../schema/contract/cron.ts";
import { definitionSchema } from "../../schema/contract/workflow.ts";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";

const NAMES = {
  connections: new Map([["con_1", "Web servers"]]),
  workflows: new Map([["wf_2", "Clean up"]]),
  limits: new Map<string, string>(),
};
const webhook: Trigger = { type: "webhook" };

describe("the label of a schedule", () => {
  test.each([
    ["* * * * *", "Every minute"],
    ["0 * * * *", "Every hour"],
    ["15 * * * *", "Every hour at minute 15"],
    ["0,30 * * * *", "Every 30 minutes"],
    ["5,40 * * * *", "Every hour at minutes 5 and 40"],
    ["0 0 * * *", "At 00:00"],
    ["0 9 * * 1", "At 09:00 on Monday"],
    ["30 2 * * 1-5", "At 02:30, Monday to Friday"],
    ["0 */5 * * *", "At minute 0, in the hours 0, 5, 10, 15 and 20"],
    ["0 8,20 * * *", "At 08:00 and 20:00"],
    ["0 12 1 * *", "At 12:00 on the 1st"],
    ["0 0 1-7 * *", "At 00:00 on the 1st to the 7th"],
    ["0 0 */5 * *", "At 00:00 on every 5th day of the month, from the 1st"],
    ["0 0 13 * 5", "At 00:00 on the 13th and on every Friday"],
    ["0 0 1 1,7 *", "At 00:00 on the 1st in January and July"],
    ["*/10 9-17 * * *", "Every 10 minutes from 09:00 to 17:59"],
    ["0 */6 * * *", "At 00:00, 06:00, 12:00 and 18:00"],
    ["5 */2 * * *", "Every 2 hours at minute 5"],
    ["0 9-17 * * *", "Every hour from 09:00 to 17:00"],
    ["*/15 */6 * * *", "Every 15 minutes in every 6th hour"],
    // A step that does not divide the hour starts again each hour: "every 25 minutes" would be wrong.
    ["*/25 * * * *", "Every hour at minutes 0, 25 and 50"],
    ["0 9 * * 0,6", "At 09:00 on Saturday and Sunday"],
    ["soon", "Invalid schedule: soon"],
  ])("for %p is %p", (expression, label) => expect(cronLabel(expression)).toBe(label));

  test("exists for every preset of the designer, and names the time zone", () => {
    for (const { expression } of CRON_PRESETS) expect(cronLabel(expression)).not.toContain("Invalid");
    expect(scheduleLabel({ expression: "*/5 * * * *" })).toBe("Every 5 minutes (UTC)");
    expect(scheduleLabel({ expression: "0 0 * * *", timezone: "Europe/Berlin" })).toBe("At 00:00 (Europe/Berlin)");
  });
});

describe("the labels of triggers, conditions and nodes", () => {
  const critical: ConditionGroup = {
    logic: "all",
    conditions: [
      { field: "{{ webhook.severity }}", operator: "equals", value: "critical" },
      {
        logic: "any",
        conditions: [
          { field: "webhook.host", operator: "exists" },
          { field: "webhook.n", operator: "lessThan", value: 3 },
        ],
      },
    ],
  };
  test("name the event, schedule or person that starts a workflow", () => {
    expect(triggerLabel(webhook)).toBe("Webhook");
    expect(triggerLabel({ type: "manual" })).toBe("Manual");
    expect(triggerLabel({ type: "failure" })).toBe("Failed run");
    expect(triggerLabel({ type: "failure", tags: ["shop", "eu"] })).toBe("Failed run (shop, eu)");
    expect(triggerLabel({ type: "incident", events: ["incident.created", "incident.resolved"] })).toBe(
      "incident.created, incident.resolved",
    );
    expect(triggerLabel({ type: "incident", events: ["incident.created"], conditions: critical })).toBe(
      "incident.created (with conditions)",
    );
  });
  test("join conditions with and, or and parentheses", () => {
    expect(groupLabel(critical)).toBe(
      "webhook.severity is “critical” and (webhook.host exists or webhook.n is less than 3)",
    );
    expect(groupLabel({ logic: "all", conditions: [] })).toBe("always true");
    expect(groupLabel({ logic: "any", conditions: [] })).toBe("never true");
  });
  test("describe a node with the names of its connection or workflow", () => {
    const label = (node: object) => nodeLabel(definitionOf([node]).nodes[0] ?? never(), NAMES);
    expect(label({ id: "a", type: "action", action: "script.bash", connectionId: "con_1" })).toBe(
      "script.bash on Web servers",
    );
    expect(label({ id: "a", type: "action", action: "script.bash", connectionId: "con_9" })).toBe(
      "script.bash on con_9",
    );
    expect(
      label({ id: "a", type: "action", action: "script.bash", connectionId: "con_1", target: "{{foreach.item}}" }),
    ).toBe("script.bash on Web servers, host {{foreach.item}}");
    expect(label({ id: "a", type: "delay", seconds: 90 })).toBe("Wait 90 seconds");
    expect(label({ id: "a", type: "workflow", workflowId: "wf_2" })).toBe("Run the workflow Clean up");
  });
});

describe("the state of a workflow", () => {
  const draft = { published: false, active: false, autoDisabledAt: null, trigger: webhook };
  test.each([
    [{}, "draft"],
    [{ active: true }, "draft"],
    [{ trigger: { type: "manual" } }, "draft"],
    [{ published: true }, "deactivated"],
    [{ published: true, active: true }, "live"],
    [{ published: true, autoDisabledAt: "2026-11-21T00:00:00.000Z" }, "switchedOff"],
    [{ published: true, trigger: { type: "manual" } }, "live"],
  ] as const)("of %j is %j", (change, state) => {
    expect(stateOf({ ...draft, ...change })).toBe(state);
  });

  test("is a filter of the list, with a text and the trigger", () => {
    const workflow = {
      ...draft,
      id: "wf_1",
      name: "Restart Nginx",
      description: "on the edge",
      tags: ["payments"],
      retention: null,
      retentionFormer: null,
      active: true,
      webhookKey: "wh1",
    };
    const all = { text: "", trigger: null, state: null, tag: null };
    expect(passesFilter(workflow, { ...all, text: " nginx EDGE pay " })).toBe(true);
    expect(passesFilter(workflow, { ...all, text: "nginx core" })).toBe(false);
    expect(passesFilter(workflow, { ...all, text: "webhook" })).toBe(true);
    expect(["payments", "pay"].map((tag) => passesFilter(workflow, { ...all, tag }))).toEqual([true, false]);
    expect(passesFilter(workflow, { ...all, trigger: "cron" })).toBe(false);
    expect(passesFilter(workflow, { ...all, state: "draft" })).toBe(true);
    expect(passesFilter(workflow, { ...all, state: "live" })).toBe(false);
    const filters = [all, { ...all, text: " " }, { ...all, state: "draft" as const }];
    expect(filters.map(isFiltering)).toEqual([false, false, true]);
  });

  test("explains why a webhook answers 404", () => {
    const on = { published: true, active: true, autoDisabledAt: null };
    expect(whyWebhookAnswers404(on, { trigger: webhook })).toEqual([]);
    expect(whyWebhookAnswers404({ ...on, published: false, active: false }, null)).toHaveLength(2);
    expect(whyWebhookAnswers404(on, { trigger: { type: "manual" } })[0]).toContain("another trigger");
  });
});

describe("the sample of a webhook's variables", () => {
  test("has the variables of the templates, with values that meet the conditions", () => {
    const definition = definitionOf([
      {
        id: "check",
        type: "condition",
        when: {
          logic: "all",
          conditions: [
            { field: "webhook.severity", operator: "in", value: ["critical", "high"] },
            { field: "{{inputs.load}}", operator: "greaterThan", value: 5 },
          ],
        },
      },
      { id: "run", type: "action", action: "script.bash", params: { script: 'echo "{{webhook.severity}}"' } },
      {
        id: "each",
        type: "forEach",
        items: "{{webhook.hosts}}",
        body: { nodes: [{ id: "in", type: "approval", message: "{{webhook.alert.labels.0.name}}?" }], edges: [] },
      },
      { id: "other", type: "action", action: "script.bash", params: { script: "{{nodes.run.output.x}}" } },
      { id: "page", type: "approval", message: "{{incident.title}}" },
    ]);
    expect(sampleVariables(definition)).toEqual({
      severity: "critical",
      load: 6,
      hosts: ["example"],
      alert: { labels: [{ name: "example" }] },
      incident: { title: "example" },
    });
  });
});

describe("the changes between two versions", () => {
  const restart = { id: "restart", type: "action", action: "script.bash", params: { script: "a" }, timeoutSeconds: 60 };
  const before: Content = {
    trigger: webhook,
    definition: definitionOf(
      [restart, { id: "ask", type: "approval", message: "?" }],
      [{ from: "restart", to: "ask", on: "failure" }],
    ),
  };

  test("are listed node by node, with edges and the trigger", () => {
    const after: Content = {
      trigger: { type: "cron", expression: "*/5 * * * *" },
      definition: {
        ...definitionOf([
          { ...restart, params: { script: "b" }, timeoutSeconds: 90 },
          {
            id: "each",
            type: "forEach",
            items: "{{webhook.x}}",
            body: { nodes: [{ id: "wait", type: "delay", seconds: 1 }], edges: [] },
          },
        ]),
        timeoutSeconds: 3_600,
        concurrency: { mode: "queue", key: "{{webhook.x}}" },
      },
    };
    expect(changesBetween(before, after).map(({ kind, what, detail }) => `${kind} ${what}: ${detail}`)).toEqual([
      "changed Trigger: Webhook → Every 5 minutes (UTC)",
      "changed Time limit: none → 1 hour",
      "changed When another run is open: Run beside it → Wait for its turn, {{webhook.x}}",
      "added Step each: For each",
      "added Step each/wait: Delay",
      "removed Step ask: Approval",
      "changed Step restart: Script: a → b, Time limit: 1 minute → 90 seconds",
      "removed Edge: restart → ask on failure",
    ]);
  });

  test("are empty when only the order of keys differs, and name a changed order of nodes", () => {
    const reordered = {
      trigger: webhook,
      definition: { edges: before.definition.edges, nodes: before.definition.nodes },
    };
    expect(changesBetween(before, reordered)).toEqual([]);
    expect(isSameJson({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1, d: undefined })).toBe(true);
    expect(isSameJson([1, 2], [2, 1])).toBe(false);
    expect(isSameJson({ 0: 1 }, [1])).toBe(false);
    const moved = { ...before, definition: { ...before.definition, nodes: before.definition.nodes.toReversed() } };
    expect(changesBetween(before, moved).map(({ what }) => what)).toEqual(["Order"]);
  });

  test("are shown line by line in the format of an export, with the names of connections", () => {
    const definition = definitionOf([{ ...restart, connectionId: "con_1", params: { script: "a\nb\n" } }]);
    const yaml = versionYaml({ trigger: webhook, definition }, NAMES);
    expect(yaml).toContain("script: |\n          a\n          b\n");
    expect(yaml).toEndWith("connections:\n  con_1: Web servers");
  });
});

describe("the inputs of a manual run", () => {
  const inputs: ManualInputs = {
    service: { type: "string", required: true },
    greeting: { type: "string", default: "hello" },
    count: { type: "number", default: 3 },
    force: { type: "boolean" },
    labels: { type: "object" },
    hosts: { type: "array", required: true },
  };

  test("start with the defaults", () => {
    expect(firstTyped(inputs)).toEqual({
      service: "",
      greeting: "hello",
      count: "3",
      force: "",
      labels: "",
      hosts: "",
    });
  });

  test("are sent with their types; an empty field is left out, but a cleared default is sent as the empty text", () => {
    const typed = { service: "nginx", greeting: "", count: "2.5", force: "true", labels: "", hosts: '["a"]' };
    expect(readInputs(inputs, typed)).toEqual({
      ok: true,
      variables: { service: "nginx", greeting: "", count: 2.5, force: true, hosts: ["a"] },
    });
  });

  test("each show their problem", () => {
    const read = readInputs(inputs, { ...firstTyped(inputs), count: "many", labels: "[1]", force: "yes", hosts: "{}" });
    expect(read.ok ? [] : Object.keys(read.problems).sort()).toEqual(["count", "force", "hosts", "labels", "service"]);
  });

  test("are a JSON object when the trigger lists no inputs", () => {
    expect(readVariables(" ")).toEqual({ ok: true, variables: {} });
    expect(readVariables('{"a": 1}')).toEqual({ ok: true, variables: { a: 1 } });
    expect(readVariables("[1]").ok).toBe(false);
    expect(readVariables("{").ok).toBe(false);
  });
});

function definitionOf(nodes: object[], edges: object[] = []): Definition {
  return definitionSchema.parse({ nodes, edges });
}

function never(): never {
  throw new Error("there is no node");
}
