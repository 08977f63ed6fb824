import { z } from "zod";
import type { Admin } from "./admin.ts";
import type { Credential, Credentials } from "./credentials.ts";
import type { ScriptFiles } from "./nodes.ts";
import { setUpRules } from "./rules.ts";
import { KIND_NAMES, LIMIT, WATCHED, kindOf } from "./workflows.ts";
import type { ConnectionIds, Kind, KindName } from "./workflows.ts";

export const POOLS = { main: "main", annex: "annex" } as const;

export const SCRIPTS_CONNECTION = "scripts";

const withId = z.object({ id: z.string() });
const keyAnswer = z.object({ webhookKey: z.string(), webhookSecret: z.string() });

/** Secrets that only a vault and the target may see; of `receiver`, the service and the receiver of notices. */
export interface Markers {
  http: string;
  chat: string;
  custom: string;
  receiver: string;
}

export interface Webhook {
  key: string;
  secret: string;
}

export interface Load {
  workflowIds: ReadonlyMap<string, KindName>;
  webhooks: ReadonlyMap<KindName, Webhook>;
  connections: ConnectionIds;
  credentials: Credentials;
}

/** The connections, workflows and notification rules of the load, published and active. */
export async function setUpLoad(
  admin: Admin,
  given: { recorderUrl: string; receiverUrl: string; files: ScriptFiles; markers: Markers },
): Promise<Load> {
  const connect = async (name: string, type: string, poolId: string, config: object = {}) =>
    (await admin.call("POST", "/connections", { name, type, poolId, config }, withId)).id;
  const connections: ConnectionIds = {
    scripts: await connect(SCRIPTS_CONNECTION, "script", POOLS.main),
    annexScripts: await connect("scripts in the annex", "script", POOLS.annex),
    recorder: await connect("the recorder", "http", POOLS.main, { baseUrl: given.recorderUrl, authType: "bearer" }),
    chat: await connect("chat", "chat", POOLS.main, { defaultChannel: "C024BE91L" }),
    custom: await connect("a custom system", "custom", POOLS.main, { fields: {} }),
  };
  const limit = await admin.call("POST", "/limits", { ...LIMIT, whenReached: "end" }, withId);
  await setUpRules(admin, given.receiverUrl, given.markers.receiver);
  const workflowIds = new Map<string, KindName>();
  const idOf = (kind: string) => [...workflowIds].find(([, name]) => name === kind)?.[0] ?? "";
  const webhooks = new Map<KindName, Webhook>();
  for (const name of KIND_NAMES) {
    const kind = kindOf(name);
    const limits = kind.isLimited === true ? { limits: [{ groupId: limit.id, key: "{{webhook.host}}" }] } : {};
    const definition = { ...kind.definition(connections, given.files, idOf), ...limits };
    const tags = kind.isUntagged === true ? [] : [WATCHED];
    const body = { name, trigger: triggerOf(name, kind), definition, tags };
    const { id } = await admin.call("POST", "/workflows", body, withId);
    workflowIds.set(id, name);
    if (kind.trigger === "webhook") {
      const made = await admin.call("POST", `/workflows/${id}/webhook-key`, undefined, keyAnswer);
      webhooks.set(name, { key: made.webhookKey, secret: made.webhookSecret });
    }
    await admin.call("POST", `/workflows/${id}/publish`, undefined, z.unknown());
    await admin.call("POST", `/workflows/${id}/activate`, undefined, z.unknown());
  }
  const { markers } = given;
  return {
    workflowIds,
    webhooks,
    connections,
    credentials: new Map<string, Credential>([
      [connections.recorder, { secrets: { token: markers.http }, sealedTo: new Map() }],
      [connections.chat, { secrets: { botToken: markers.chat }, sealedTo: new Map() }],
      [connections.custom, { secrets: { CHAOS_PASSWORD: markers.custom }, sealedTo: new Map() }],
    ]),
  };
}

/** An incident names its kind as its service. */
function triggerOf(name: KindName, { trigger, joinsForSeconds }: Kind) {
  if (trigger === "webhook") return { type: "webhook" };
  if (trigger === "call") return { type: "manual" };
  if (trigger === "failure") return { type: "failure", tags: [WATCHED] };
  if (trigger === "cron") return { type: "cron", expression: "* * * * *" };
  return {
    type: "incident",
    events: ["incident.created"],
    conditions: { logic: "all", conditions: [{ field: "service", operator: "equals", value: name }] },
    ...(joinsForSeconds === undefined ? {} : { coalesce: { windowSeconds: joinsForSeconds } }),
  };
}
