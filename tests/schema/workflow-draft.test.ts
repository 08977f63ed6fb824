import { expect, test } from "bun:test";
import { TEMPLATES } from "../../console/views/designer/templates.ts";
import { workflowInputSchema } from "../../schema/contract/management.ts";
import { workflowDraftSchema } from "../../schema/contract/save-workflow.ts";
import {
  draftActionNodeSchema,
  draftForEachNodeSchema,
  draftNodeSchema,
} from "../../schema/contract/workflow-draft.ts";
import { actionNodeSchema, forEachNodeSchema } from "../../schema/contract/workflow.ts";

const complete = {
  name: "everything",
  description: null,
  trigger: {
    type: "incident",
    events: ["incident.created"],
    conditions: { logic: "any", conditions: [{ field: "severity", operator: "in", value: ["high"] }] },
  },
  definition: {
    timeoutSeconds: 60,
    layout: { each: { x: 1, y: -2 } },
    nodes: [
      {
        id: "each",
        name: "Each",
        type: "forEach",
        items: "[]",
        concurrency: 2,
        body: {
          nodes: [
            {
              id: "run",
              type: "action",
              action: "script.bash",
              connectionId: "con_1",
              params: { script: "true", env: { A: "{{item}}" } },
              queueTimeoutSeconds: 5,
              retry: { maxAttempts: 2, backoffSeconds: 0.5 },
              onAgentLost: "retry",
            },
          ],
          edges: [],
        },
      },
      { id: "check", type: "condition", when: { logic: "all", conditions: [{ field: "a", operator: "exists" }] } },
      { id: "wait", type: "delay", seconds: 1 },
      {
        id: "ask",
        type: "approval",
        message: "?",
        timeoutSeconds: 5,
        by: "another",
        approvers: { roles: ["editor"], people: ["u"] },
      },
      { id: "call", type: "workflow", workflowId: "wf_1", variables: { a: [1] } },
      { id: "failed", type: "errorHandler" },
    ],
    edges: [{ from: "each", to: "check", on: "failure" }],
  },
};

test("a complete workflow is a draft, with the same defaults", () => {
  const input = workflowInputSchema.parse(complete);
  expect(workflowDraftSchema.parse(complete)).toEqual(input);
  for (const { draft } of TEMPLATES) expect(workflowDraftSchema.parse(draft)).toEqual(draft);
});

test("a draft has every field of a complete workflow", () => {
  expect(Object.keys(draftActionNodeSchema.shape)).toEqual(Object.keys(actionNodeSchema.shape));
  expect(Object.keys(draftForEachNodeSchema.shape)).toEqual(Object.keys(forEachNodeSchema.shape));
  expect(draftNodeSchema.safeParse({ id: "a", type: "delay", seconds: 1, unknown: 1 }).success).toBe(false);
});
