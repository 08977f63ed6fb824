import { z } from "zod";
import type { Api } from "./api.ts";

/** An agent, a connection and a published workflow with a webhook trigger: enough for a first look at Bellhop. */
const agentAnswer = z.object({ agent: z.object({ id: z.string() }), apiKey: z.string() });
const withId = z.object({ id: z.string() });
const keyAnswer = z.object({ webhookKey: z.string(), webhookSecret: z.string(), url: z.string() });

export function createLocalAgent(api: Api): Promise<z.infer<typeof agentAnswer>> {
  return api.post(
    "/agents",
    { name: "this machine", description: "The agent that npm start runs.", poolId: "local" },
    agentAnswer,
  );
}

/** The connection that the examples' scripts run on. */
export async function createScriptConnection(api: Api): Promise<string> {
  const connection = await api.post(
    "/connections",
    { name: "scripts on this machine", type: "script", config: {}, poolId: "local" },
    withId,
  );
  return connection.id;
}

export interface ExampleWorkflow {
  workflowId: string;
  webhookKey: string;
  webhookSecret: string;
}

/** A service's name is a plain word, and may be in the script's text; an output is free text, and goes into `env`. */
export function createExample(api: Api, connectionId: string): Promise<ExampleWorkflow> {
  return createWebhookWorkflow(api, {
    name: "Look at a service",
    description: "Reads the machine's state, and prints it with the alert's service.",
    definition: {
      nodes: [
        script(connectionId, "look", "uname -sr\nuptime -p 2>/dev/null || uptime"),
        script(connectionId, "answer", 'echo "Service {{webhook.service}} was checked on:"\necho "$HOST_STATE"', {
          HOST_STATE: "{{nodes.look.output.stdout}}",
        }),
      ],
      edges: [{ from: "look", to: "answer", on: "success" }],
    },
  });
}

/** A condition, a forEach over the hosts of the alert, and an errorHandler for failures. */
export function createRunbook(api: Api, connectionId: string): Promise<ExampleWorkflow> {
  const urgent = { field: "webhook.severity", operator: "in", value: ["critical", "high"] };
  return createWebhookWorkflow(api, {
    name: "Fix the hosts of an alert",
    description:
      "For an urgent alert: checks each host that the alert names, restarts the service, and reports a failure.",
    definition: {
      nodes: [
        { id: "urgent", type: "condition", when: { logic: "all", conditions: [urgent] } },
        {
          id: "hosts",
          type: "forEach",
          items: "{{webhook.hosts}}",
          concurrency: 2,
          body: {
            nodes: [
              script(connectionId, "check", 'echo "{{foreach.item}} is up ({{foreach.index}} of {{foreach.total}})"'),
            ],
            edges: [],
          },
        },
        // This service does not exist, which is the errorHandler's case.
        script(connectionId, "restart", 'echo "{{webhook.service}}: no such service" >&2\nexit 5'),
        script(connectionId, "wait", 'echo "{{webhook.service}} can wait until morning"'),
        { id: "rescue", type: "errorHandler" },
        script(connectionId, "report", 'echo "{{error.nodeId}} failed with exit code {{error.exitCode}}: $PRINTED"', {
          PRINTED: "{{error.output.stderr}}",
        }),
      ],
      edges: [
        { from: "urgent", to: "hosts", on: "true" },
        { from: "urgent", to: "wait", on: "false" },
        { from: "hosts", to: "restart", on: "success" },
        { from: "rescue", to: "report", on: "success" },
      ],
    },
  });
}

async function createWebhookWorkflow(
  api: Api,
  workflow: { name: string; description: string; definition: unknown },
): Promise<ExampleWorkflow> {
  const { id } = await api.post("/workflows", { ...workflow, trigger: { type: "webhook" } }, withId);
  const { webhookKey, webhookSecret } = await api.post(`/workflows/${id}/webhook-key`, undefined, keyAnswer);
  await api.post(`/workflows/${id}/publish`, undefined, z.unknown());
  await api.post(`/workflows/${id}/activate`, undefined, z.unknown());
  return { workflowId: id, webhookKey, webhookSecret };
}

function script(connectionId: string, id: string, text: string, env: Readonly<Record<string, string>> = {}) {
  return { id, type: "action", action: "script.bash", connectionId, params: { script: text, env }, timeoutSeconds: 30 };
}
