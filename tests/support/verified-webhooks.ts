import type { WebhookVerification } from "../../schema/contract/webhook-verification.ts";
import { webhookKeyAnswerSchema } from "../../schema/contract/webhook-verification.ts";
import type { Bellhop } from "./bellhop.ts";
import { call, createWorkflow, dataOf, verb } from "./management-api.ts";
import { NEW_CONNECTION } from "./new-connection.ts";

/** A published, active workflow, and its webhook's key, which verifies callers so. */
export async function liveWebhook(bellhop: Bellhop, verification?: WebhookVerification, secret?: string) {
  const { id } = await createWorkflow(bellhop);
  const key = await madeKey(bellhop, id, "webhook-key", { verification, secret });
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return { id, ...key };
}

export async function madeKey(bellhop: Bellhop, id: string, path: string, body: object) {
  return dataOf(await call(bellhop, "POST", `/workflows/${id}/${path}`, body), 201, webhookKeyAnswerSchema);
}

let bodies = 0;
/** A body that is no repeat. */
export function newBody(): string {
  bodies += 1;
  return JSON.stringify({ variables: { nonce: bodies } });
}

export function sendTo(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const sent = { "Content-Type": "application/json", ...headers };
  return fetch(url, { ...NEW_CONNECTION, method: "POST", headers: sent, body });
}

export async function statusOf(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await sendTo(url, body, headers);
  await response.arrayBuffer();
  return response.status;
}
