import { describe, expect, test } from "bun:test";
import { completionsAt } from "../../console/workflow-forms/completions.ts";
import { servicesOf } from "../../worker/domain/maintenance.ts";
import { PRESETS, presetOf } from "../../console/workflow-forms/webhook-presets.ts";
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
