import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.d.ts";

/**
 * A client that uses only the API's description: a typed call of each resource, in an order in which each finds what it
 * needs. `tests/routes/openapi-client.test.ts` generates the types, compiles this file and runs it. Prints the calls.
 */
const called: string[] = [];
const { BELLHOP_URL = "", BELLHOP_TOKEN = "" } = process.env;
const clientWith = (token: string) => {
  const client = createClient<paths>({ baseUrl: BELLHOP_URL, headers: { Authorization: `Bearer ${token}` } });
  client.use({ onRequest: ({ request, schemaPath }) => void called.push(`${request.method} ${schemaPath}`) });
  return client;
};
const api = clientWith(BELLHOP_TOKEN);

const { data: agent } = ok(await api.POST("/api/v1/automation/agents", { body: { name: "web-1", poolId: "web" } }));
const connection = ok(
  await api.POST("/api/v1/automation/connections", { body: { name: "scripts", type: "script", poolId: "web" } }),
).data;
const bash: components["schemas"]["NodeInput"] = {
  id: "say",
  type: "action",
  action: "script.bash",
  connectionId: connection.id,
  params: { script: "echo hi" },
};
const workflow = ok(
  await api.POST("/api/v1/automation/workflows", {
    body: {
      name: "Say hi",
      trigger: { type: "webhook" },
      definition: {
        nodes: [{ id: "each", type: "forEach", items: "[1]", body: { nodes: [bash], edges: [] } }],
        edges: [],
      },
    },
    headers: { "Idempotency-Key": "say-hi" },
  }),
).data;
const [each] = workflow.definition.nodes;
const timeouts: number[] =
  each?.type === "forEach" ? each.body.nodes.map((node) => (node.type === "action" ? node.timeoutSeconds : 0)) : [];
if (timeouts.join() !== "300") throw new Error(`The node's timeout is ${timeouts.join()}.`);

const one = { params: { path: { id: workflow.id } } };
ok(await api.POST("/api/v1/automation/workflows/{id}/publish", one));
ok(await api.POST("/api/v1/automation/workflows/{id}/activate", one));
const { webhookKey, webhookSecret } = ok(await api.POST("/api/v1/automation/workflows/{id}/webhook-key", one)).data;
if (webhookSecret === null) throw new Error("The answer has no secret.");
const { executionId } = ok(
  await clientWith(webhookSecret).POST("/api/v1/automation/webhooks/{webhookKey}", {
    params: { path: { webhookKey } },
    body: { variables: { text: "hi" } },
  }),
).data;
const { data: limit } = ok(
  await api.POST("/api/v1/automation/limits", {
    body: { name: "Restart a service", maxRuns: 3, periodSeconds: 3_600, whenReached: "end" },
  }),
);
ok(await api.GET("/api/v1/automation/limits/{id}/uses", { params: { path: { id: limit.id } } }));
ok(await api.PUT("/api/v1/automation/pause", { body: { reason: "a change of the storage" } }));
ok(await api.DELETE("/api/v1/automation/pause"));
const window = ok(
  await api.POST("/api/v1/automation/maintenance-windows", {
    body: {
      name: "Storage",
      startsAt: "2026-12-01T22:00:00Z",
      endsAt: "2026-12-02T06:00:00Z",
      mode: "hold",
      tags: ["storage"],
    },
  }),
).data;
ok(await api.DELETE("/api/v1/automation/maintenance-windows/{id}", { params: { path: { id: window.id } } }));
const execution = ok(
  await api.GET("/api/v1/automation/executions/{id}", { params: { path: { id: executionId } } }),
).data;
const status: "running" | "succeeded" | "failed" | "cancelled" = execution.status;

const missing = await api.GET("/api/v1/automation/jobs/{id}", { params: { path: { id: "job_none" } } });
const code: string | undefined = missing.error?.code;
// No release of the agent is published.
const installer: string | undefined = (await api.GET("/install.sh", { parseAs: "text" })).error?.code;

const incident = ok(await api.POST("/api/v1/automation/incidents", { body: { title: "Disk full" } })).data;
const severity: components["schemas"]["Severity"] = incident.severity;
const next: string[] = ok(
  await api.GET("/api/v1/automation/schedules/preview", { params: { query: { expression: "0 3 * * *" } } }),
).data.nextRuns;
const pools: string[] = ok(await api.GET("/api/v1/automation/pools")).data.map(({ id }) => id);
const cursor: string | null = ok(
  await api.GET("/api/v1/automation/audit", { params: { query: { limit: 1 } } }),
).nextCursor;
const entries: string = ok(await api.GET("/api/v1/automation/audit/export", { parseAs: "text" }));
ok(await api.GET("/api/v1/automation/overview"));
ok(await api.GET("/api/v1/automation/retention"));
ok(await api.GET("/api/v1/automation/statistics"));
ok(await api.POST("/api/v1/automation/integrations", { body: { name: "alerts", kind: "alertmanager" } }));
ok(await api.GET("/api/v1/automation/notification-channels"));
const { data: receiver } = ok(
  await api.POST("/api/v1/automation/notification-receivers", {
    body: { name: "On-call mail", type: "email", to: "on-call@example.com" },
  }),
);
const { data: rule } = ok(
  await api.POST("/api/v1/automation/notification-rules", {
    body: { name: "Failures", on: "run_failed", receivers: [receiver.id], scope: { tags: ["payments"] } },
  }),
);
ok(await api.GET("/api/v1/automation/notification-rules/{id}/notices", { params: { path: { id: rule.id } } }));
ok(await api.GET("/api/v1/automation/users"));
ok(await api.GET("/api/v1/auth/tokens"));
ok(await api.GET("/api/v1/auth/methods"));
ok(await api.GET("/healthz"));
ok(await api.GET("/api/v1/openapi.json"));
// The agent has no session yet.
const offline = await clientWith(agent.apiKey).POST("/api/v1/agent/offline", { body: {} });
const refusal: string | undefined = offline.error?.code;

console.log(JSON.stringify({ called, status, code, installer, refusal, severity, next, pools, cursor, entries }));

function ok<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
  return data;
}
