import type { Bellhop } from "./bellhop.ts";
import { createConnection, createWorkflow } from "./management-api.ts";

/** A workflow with every node type, nested, and with every feature of scripts. */
export async function everyNode(bellhop: Bellhop): Promise<object> {
  const script = await createConnection(bellhop, { name: "hosts" });
  const http = await createConnection(bellhop, {
    name: "api",
    type: "http",
    config: { baseUrl: "https://example.com", authType: "none" },
  });
  const child = await createWorkflow(bellhop, { name: "the child", trigger: { type: "manual" } });
  const when = {
    logic: "any",
    conditions: [
      { field: "incident.severity", operator: "in", value: ["critical", "high"] },
      { logic: "all", conditions: [{ field: "incident.tags.on", operator: "equals", value: "yes" }] },
    ],
  };
  const bash = { type: "action", action: "script.bash", connectionId: script.id };
  return {
    name: "Restart — «web» ☕",
    description: "two\nlines \n",
    trigger: { type: "incident", events: ["incident.created"], conditions: { logic: "all", conditions: [] } },
    definition: {
      nodes: [
        {
          ...bash,
          id: "look",
          name: "on",
          params: { script: '#!/bin/bash\nset -eu\n\techo "{{incident.host}}"  \n', env: { A: "~", B: "0o14" } },
        },
        {
          ...bash,
          id: "windows",
          params: { script: "echo 1\r\necho 2\r\n", workingDirectory: "{{incident.host}}" },
          retry: { maxAttempts: 2, backoffSeconds: 1.5 },
        },
        { id: "which", type: "condition", when },
        {
          id: "call",
          type: "action",
          action: "http.request",
          connectionId: http.id,
          params: {
            url: "{{incident.tags.url}}",
            query: { retries: 3, dry: true },
            expectStatus: "{{incident.tags.status}}",
            body: { list: [1, null, "null"] },
          },
        },
        {
          id: "each",
          type: "forEach",
          items: "{{incident.tags.hosts}}",
          concurrency: 2,
          maxFailures: "10%",
          continueOnError: true,
          batchSize: 5,
          pauseSeconds: 30,
          check: { logic: "any", conditions: [{ field: "foreach.failed", operator: "lessThan", value: 2 }] },
          body: {
            nodes: [
              { id: "pause", type: "delay", seconds: 1 },
              {
                id: "inner",
                type: "forEach",
                items: "{{foreach.item}}",
                body: { nodes: [{ id: "deep", type: "delay", seconds: 1 }], edges: [] },
              },
            ],
            edges: [{ from: "pause", to: "inner", on: "success" }],
          },
        },
        {
          id: "ask",
          type: "approval",
          message: "Really?",
          timeoutSeconds: 60,
          by: "another",
          approvers: { roles: ["admin", "editor"] },
        },
        { id: "sub", type: "workflow", workflowId: child.id, variables: { host: "{{incident.host}}" } },
        { id: "handler", type: "errorHandler" },
      ],
      edges: [
        { from: "look", to: "which", on: "success" },
        { from: "which", to: "call", on: "true" },
        { from: "which", to: "each", on: "false" },
        { from: "each", to: "ask", on: "success" },
        { from: "ask", to: "sub", on: "approved" },
      ],
      layout: { look: { x: 0, y: -40 }, deep: { x: 24, y: 48 } },
    },
  };
}
