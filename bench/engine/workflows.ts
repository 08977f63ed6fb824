import { z } from "zod";
import type { EngineWorker } from "./service.ts";

const withId = z.object({ id: z.string() });

/** A script whose job carries the variable `mark`, by which the agent recognizes the execution. */
export function markedAction(connectionId: string, id = "restart", mark = "{{inputs.mark}}") {
  const params = { script: "systemctl restart app", env: { MARK: mark } };
  return { id, type: "action", action: "script.bash", connectionId, params };
}

/** A published workflow with a manual trigger. */
export async function publishManual(worker: EngineWorker, definition: unknown): Promise<string> {
  return publish(worker, { type: "manual" }, definition);
}

/** Resolves when the start is committed and its job is queued. */
export async function startByHand({ api }: EngineWorker, workflowId: string, variables: object): Promise<string> {
  const shape = z.object({ executionId: z.string() });
  return (await api.post(`/workflows/${workflowId}/execute`, { variables }, shape)).executionId;
}

export interface WebhookKey {
  url: string;
  headers: Record<string, string>;
}

/** Published workflows of one marked action, each with a webhook that takes 60 requests a minute. */
export async function createWebhookKeys(worker: EngineWorker, count: number): Promise<WebhookKey[]> {
  const keys: WebhookKey[] = [];
  for (let i = 0; i < count; i += 1) {
    const definition = { nodes: [markedAction(worker.connectionId)], edges: [] };
    const id = await publish(worker, { type: "webhook" }, definition);
    const shape = z.object({ webhookKey: z.string(), webhookSecret: z.string() });
    const key = await worker.api.post(`/workflows/${id}/webhook-key`, undefined, shape);
    await worker.api.post(`/workflows/${id}/activate`, undefined, z.unknown());
    keys.push({
      url: `${worker.url}/api/v1/automation/webhooks/${key.webhookKey}`,
      headers: { Authorization: `Bearer ${key.webhookSecret}`, "Content-Type": "application/json" },
    });
  }
  return keys;
}

/** Resolves with the 200, when the event is durable. */
export async function ring(key: WebhookKey, variables: object): Promise<void> {
  const body = JSON.stringify({ variables });
  const response = await fetch(key.url, { method: "POST", headers: key.headers, body });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`the webhook was answered ${response.status}: ${answer}`);
}

async function publish({ api }: EngineWorker, trigger: object, definition: unknown): Promise<string> {
  const { id } = await api.post("/workflows", { name: "bench", trigger, definition }, withId);
  await api.post(`/workflows/${id}/publish`, undefined, z.unknown());
  return id;
}
