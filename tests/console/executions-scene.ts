import { z } from "zod";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createConnection } from "../support/management.ts";

const withId = z.object({ id: z.string() });

/** Creates and publishes a workflow with a manual trigger. */
export async function publishWorkflow(
  bellhop: Bellhop,
  name: string,
  definition: unknown,
  more: object = {},
): Promise<string> {
  const body = { name, trigger: { type: "manual" }, definition, ...more };
  const { id } = await call(bellhop, "POST", "/workflows", body, withId);
  await call(bellhop, "POST", `/workflows/${id}/publish`, undefined, z.unknown());
  return id;
}

export async function execute(bellhop: Bellhop, workflowId: string, variables: object = {}): Promise<string> {
  const answer = z.object({ executionId: z.string() });
  return (await call(bellhop, "POST", `/workflows/${workflowId}/execute`, { variables }, answer)).executionId;
}

export function script(id: string, connectionId: string, more: object = {}) {
  return { id, type: "action", action: "script.bash", connectionId, params: { script: "true" }, ...more };
}

export function edge(from: string, to: string, on = "success") {
  return { from, to, on };
}

export function scriptConnection(bellhop: Bellhop, poolId: string): Promise<string> {
  return createConnection(bellhop, { type: "script", poolId });
}

/** A definition with many kinds of node: actions, a condition, a forEach, an approval and an error handler. */
export function wholeDefinition(connectionId: string) {
  return {
    nodes: [
      script("check", connectionId, { name: "Check the health of the web servers" }),
      {
        id: "is_bad",
        name: "Is it bad?",
        type: "condition",
        when: { logic: "all", conditions: [{ field: "nodes.check.output.exitCode", operator: "equals", value: 0 }] },
      },
      {
        id: "hosts",
        name: "Each host",
        type: "forEach",
        items: "{{inputs.hosts}}",
        concurrency: 2,
        body: {
          nodes: [
            script("restart", connectionId, {
              name: "Restart nginx",
              params: { script: "systemctl restart nginx", env: { X: "{{foreach.item}}" } },
            }),
            script("verify", connectionId, { name: "Verify" }),
          ],
          edges: [edge("restart", "verify")],
        },
      },
      { id: "ask", name: "May it go on?", type: "approval", message: "Restart the database, too? {{inputs.why}}" },
      script("notify", connectionId, { name: "Notify the team" }),
      { id: "handle", name: "Something failed", type: "errorHandler" },
      script("page", connectionId, { name: "Page the on-call engineer" }),
    ],
    edges: [
      edge("check", "is_bad"),
      edge("is_bad", "hosts", "true"),
      edge("is_bad", "notify", "false"),
      edge("hosts", "ask"),
      edge("ask", "notify", "approved"),
      edge("handle", "page"),
    ],
  };
}
