import { describe, expect, test } from "bun:test";
import { completionsAt } from "../../console/workflow-forms/completions.ts";
import { servicesOf } from "../../worker/domain/maintenance.ts";
import { PRESETS, presetOf } from "../../console/workflow-forms/webhook-presets.ts";
import { sampleOf } from "../../console/workflow-forms/sample.ts";
import { sampleWarnings } from "../../console/workflow-forms/sample-warnings.ts";
import { triggerSchema } from "../../schema/contract/workflow.ts";
import { checkTrigger } from "../../worker/domain/check-trigger.ts";
import { Steps } from "../../worker/domain/steps.ts";
import { action, define, problemsOf } from "../domain/engine.ts";

describe("a webhook trigger that is set up for", () => {
  test.each(PRESETS)("%s can be saved, and its sample offers only paths that saving accepts", (preset) => {
    const { trigger, variables } = presetOf(preset);
    expect(checkTrigger(triggerSchema.parse(trigger), new Steps())).toEqual([]);
    const definition = define([action("use")], []);
    const paths = completionsAt({ name: "x", trigger, definition }, "use", variables).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(10);
    for (const path of paths) {
      const using = define([action("use", { params: { script: "true", env: { X: `{{${path}}}` } } })], []);
      expect({ path, problems: problemsOf(using, trigger) }).toEqual({ path, problems: [] });
    }
  });

  test.each([
    ["alertmanager", "webhook.body.alerts.0.labels.instance"],
    ["github", "webhook.headers.x-github-event"],
    ["github", "webhook.body.repository.full_name"],
    ["grafana", "webhook.body.alerts.0.annotations.summary"],
    ["pagerduty", "webhook.body.event.data.service.summary"],
  ] as const)("%s offers %s", (preset, path) => {
    const { trigger, variables } = presetOf(preset);
    const offered = completionsAt({ name: "x", trigger, definition: define([action("use")], []) }, "use", variables);
    expect(offered.map((one) => one.path)).toContain(path);
  });
});

test.each([
  ["alertmanager", ["shop"]],
  ["github", ["example/shop"]],
  ["grafana", ["checkout"]],
  ["pagerduty", ["Checkout"]],
] as const)("maintenance windows find the service of %s", (preset, services) => {
  const { variables } = presetOf(preset);
  expect(servicesOf({ type: "webhook", variables })).toEqual([...services]);
});

describe("a path of a webhook's body that its sample request does not have", () => {
  const { trigger, variables } = presetOf("grafana");
  const draft = (text: string, key?: string) => ({
    trigger,
    definition: {
      ...define([action("use", { params: { script: "true", env: { VALUE: text } } })], []),
      ...(key === undefined ? {} : { concurrency: { mode: "queue" as const, key } }),
    },
  });
  const misspelt = "{{webhook.body.commonLabels.servce}}";

  test("is a warning with the nearest name, in a step and in a key", () => {
    const found = sampleWarnings(draft(`On ${misspelt}`, misspelt), variables);
    const title = "Use webhook.body.commonLabels.service";
    const fixOf = (path: string, start: number) => ({
      title,
      edits: [{ path, start, end: start + 6, value: "service" }],
    });
    expect(found.map(({ fix }) => fix)).toEqual([
      fixOf("definition.nodes.0.params.env.VALUE", 31),
      fixOf("definition.concurrency.key", 28),
    ]);
    expect(found[0]?.message).toBe(
      `${misspelt}: the last request, or the sample request of its sender, has no such value`,
    );
  });

  test.each([
    "{{webhook.body.commonLabels.service}}",
    "{{webhook.body.groupLabels.region}}",
    "{{webhook.body.alerts.1.status}}",
  ])("is no warning without such a name: %s", (text) => {
    expect(sampleWarnings(draft(text), variables)).toEqual([]);
    expect(sampleWarnings(draft(misspelt), null)).toEqual([]);
  });

  test("is not added to the suggested data", () => {
    expect(sampleOf(draft(misspelt), null, 0, variables)).toEqual({ variables });
  });
});
