import { z } from "zod";
import type { Api } from "./api.ts";

/** An agent, a connection and a published workflow that a webhook starts: what a first look at Bellhop needs. */
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

/** The bash script meets what the caller sent as an environment variable: a value never becomes code. */
export async function createExample(
  api: Api,
): Promise<{ workflowId: string; webhookKey: string; webhookSecret: string }> {
  const connection = await api.post(
    "/connections",
    { name: "scripts on this machine", type: "script", config: {}, poolId: "local" },
    withId,
  );
  const workflow = await api.post(
    "/workflows",
    {
      name: "Look at a service",
      description: "Asks the machine how it is, and answers with what the alert said.",
      trigger: { type: "webhook" },
      definition: {
        nodes: [
          {
            id: "look",
            type: "action",
            action: "script.bash",
            connectionId: connection.id,
            params: { script: "uname -sr\nuptime -p 2>/dev/null || uptime" },
            timeoutSeconds: 30,
          },
          {
            id: "answer",
            type: "action",
            action: "script.bash",
            connectionId: connection.id,
            params: {
              script: 'echo "Service {{webhook.service}} was looked at on:"\necho "{{nodes.look.output.stdout}}"',
            },
            timeoutSeconds: 30,
          },
        ],
        edges: [{ from: "look", to: "answer", on: "success" }],
      },
    },
    withId,
  );
  const key = await api.post(`/workflows/${workflow.id}/webhook-key`, undefined, keyAnswer);
  await api.post(`/workflows/${workflow.id}/publish`, undefined, z.unknown());
  await api.post(`/workflows/${workflow.id}/activate`, undefined, z.unknown());
  return { workflowId: workflow.id, webhookKey: key.webhookKey, webhookSecret: key.webhookSecret };
}
