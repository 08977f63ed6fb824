import { describe, expect, test } from "bun:test";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { action, define, edges, problemsOf } from "./engine.ts";

const INCIDENT: Trigger = { type: "incident", events: ["incident.created"] };
const MANUAL: Trigger = { type: "manual", inputs: { host: { type: "string" }, hosts: { type: "array" } } };
const FAILURE: Trigger = { type: "failure" };
const WEBHOOK: Trigger = { type: "webhook" };

/** The text after the fix of its only problem; null without a fix. */
function fixed(text: string, trigger: Trigger): string | null {
  const [problem] = problemsOf(
    define([action("check"), action("b", { params: { script: "true", env: { X: text } } })], edges("check -> b")),
    trigger,
  );
  const edit = problem?.fix?.edits[0];
  if (edit?.start === undefined || edit.end === undefined) return null;
  expect(edit.path).toBe(problem?.path ?? "");
  return text.slice(0, edit.start) + edit.value + text.slice(edit.end);
}

describe("the fix of a misspelt name", () => {
  test.each([
    ["on {{incident.servce}}!", INCIDENT, "on {{incident.service}}!"],
    ["{{ incident.Titel | upper }}", INCIDENT, "{{ incident.title | upper }}"],
    ['{{incident["servce"]}}', INCIDENT, '{{incident["service"]}}'],
    ["{{inciden.service}}", INCIDENT, "{{incident.service}}"],
    ["{{nodes.chek.output.stdout}}", WEBHOOK, "{{nodes.check.output.stdout}}"],
    ["{{nodes.check.output.stdot}}", WEBHOOK, "{{nodes.check.output.stdout}}"],
    ["{{nodes.check.outptu.stdout}}", WEBHOOK, "{{nodes.check.output.stdout}}"],
    ["{{Webhook.id}}", WEBHOOK, "{{webhook.id}}"],
    ["{{failed.executionid}}", FAILURE, "{{failed.executionId}}"],
    ["{{failed.eror.message}}", FAILURE, "{{failed.error.message}}"],
    ["{{failed.error.mesage}}", FAILURE, "{{failed.error.message}}"],
    ["{{failed.incident.servce}}", FAILURE, "{{failed.incident.service}}"],
  ])("%s becomes the only near name", (text, trigger, after) => {
    expect(fixed(text, trigger)).toBe(after);
  });

  test.each([
    // Two names are as near.
    ["{{inputs.hostz}}", MANUAL],
    // No near name.
    ["{{incident.region}}", INCIDENT],
    // Two names are wrong.
    ["{{nodes.chek.outptu}}", WEBHOOK],
    // The near name has no value here.
    ["{{nodes.bb.output}}", WEBHOOK],
  ])("%s has none", (text, trigger) => {
    expect(fixed(text, trigger)).toBeNull();
  });

  test("reaches a condition's path, with and without braces", () => {
    for (const field of ["incident.servce", "{{incident.servce}}"]) {
      const node = { id: "c", type: "condition", when: { logic: "all", conditions: [{ field, operator: "exists" }] } };
      const [problem] = problemsOf(define([node]), INCIDENT);
      const start = field.indexOf("servce");
      expect(problem?.fix).toEqual({
        title: "Use incident.service",
        edits: [{ path: "nodes.0.when.conditions.0.field", start, end: start + 6, value: "service" }],
      });
    }
  });
});
