import { Database } from "bun:sqlite";
import { join } from "node:path";
import { z } from "zod";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import type { TriggerAnswer } from "../../schema/contract/webhook.ts";
import { newId } from "../../worker/services/ids.ts";
import { mintWebhookKey } from "../../worker/services/keys.ts";
import type { GateSettings } from "../../worker/services/ports.ts";
import { hashSecret } from "../../worker/services/secret-hash.ts";
import { query } from "./database.ts";
import type { Bellhop } from "./bellhop.ts";
import { objectNamed } from "./bellhop-object.ts";
import { NEW_CONNECTION } from "./new-connection.ts";

/** A webhook key whose gate has its workflow's settings. */
export interface Webhook {
  webhookKey: string;
  webhookSecret: string;
  settings: GateSettings;
}

/** Makes a key as the service does, and configures only its gate: libSQL has no workflow for it. */
export async function armWebhook(bellhop: Bellhop, changes: Partial<GateSettings> = {}): Promise<Webhook> {
  const minted = mintWebhookKey(bellhop.serverSecret);
  const settings: GateSettings = {
    epoch: 1,
    workflowId: "wf_none",
    versionId: "wfv_none",
    active: true,
    secretHash: await hashSecret(minted.webhookSecret),
    revoked: false,
    ...changes,
  };
  const webhook = { ...minted, settings };
  await configureGate(bellhop, webhook, {});
  return webhook;
}

/**
 * A published workflow that ends without help, written straight into libSQL; for tests that are not about publishing.
 */
export async function storeWorkflow(bellhop: Bellhop): Promise<{ workflowId: string; versionId: string }> {
  const workflowId = newId("workflow", Date.now());
  const versionId = newId("workflowVersion", Date.now());
  const when = { logic: "all", conditions: [{ field: "webhook.none", operator: "notExists" }] };
  await query(
    bellhop,
    `INSERT INTO workflow_versions (id, workflow_id, number, trigger, definition, published_at, published_by)
      VALUES (?, ?, 1, '{"type":"webhook"}', ?, 0, 'test')`,
    [versionId, workflowId, JSON.stringify({ nodes: [{ id: "only", type: "condition", when }], edges: [] })],
  );
  return { workflowId, versionId };
}

/** Sends the gate newer settings. */
export async function configureGate(bellhop: Bellhop, webhook: Webhook, changes: Partial<GateSettings>): Promise<void> {
  const gate = await objectNamed(bellhop, "GATE", webhook.webhookKey);
  webhook.settings = { ...webhook.settings, ...changes, epoch: webhook.settings.epoch + 1 };
  await gate.configure(webhook.webhookKey, webhook.settings);
}

export interface WebhookCall {
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  secret?: string | null;
  headers?: Record<string, string>;
  method?: string;
}

/** Sends a request to the endpoint: JSON when it has a body, with the right secret by default. */
export function callWebhook(
  bellhop: Bellhop,
  webhook: Pick<Webhook, "webhookKey" | "webhookSecret">,
  call: WebhookCall = {},
): Promise<Response> {
  const { body, secret = webhook.webhookSecret, headers = {}, method = "POST" } = call;
  return fetch(`${bellhop.url}${webhookPath(webhook.webhookKey)}`, {
    ...NEW_CONNECTION,
    method,
    headers: {
      ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** The answer to an accepted webhook; fails on any other. */
export async function triggered(response: Promise<Response>): Promise<TriggerAnswer> {
  const answer: unknown = await (await response).json();
  const parsed = acceptedSchema.safeParse(answer);
  if (!parsed.success) throw new Error(`not accepted: ${JSON.stringify(answer)}`);
  return parsed.data.data;
}

const acceptedSchema = z.strictObject({ success: z.literal(true), data: triggerAnswerSchema.strict() });

export function webhookPath(webhookKey: string): string {
  return `/api/v1/automation/webhooks/${webhookKey}`;
}

/** The SQLite file of an object's storage; open it only while the object does not run. */
export function gateFile(bellhop: Bellhop, executionId: string): string {
  const objects = join(bellhop.directory, "objects");
  for (const file of new Bun.Glob("*WebhookGate/*.sqlite").scanSync(objects)) {
    const database = new Database(join(objects, file));
    try {
      if (database.query("SELECT 1 FROM events WHERE execution_id = ?").get(executionId) !== null) {
        return join(objects, file);
      }
    } catch {
      // Another file of the platform, or a gate without events.
    } finally {
      database.close();
    }
  }
  throw new Error(`no gate has ${executionId}`);
}
