import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { SECRET_PARAMETER } from "../../../schema/contract/webhook-trigger.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";

/** Replaces the secret when it is no longer known. */
export const SECRET_PLACEHOLDER = "YOUR_WEBHOOK_SECRET";

export interface SampleRequest {
  body: JsonValue;
  headers?: JsonObject;
  query?: JsonObject;
}

/** A request that gives a workflow's templates these variables. */
export function requestWith(trigger: Trigger, variables: JsonObject): SampleRequest {
  if (trigger.type !== "webhook" || trigger.payload !== "body") return { body: { variables } };
  const { body = {}, headers, query } = variables;
  return { body, headers: objectOf(headers), query: objectOf(query) };
}

/** A command for a POSIX shell that calls a webhook. */
export function webhookCurl(call: SampleRequest & { url: string; by: "bearer" | "address"; secret: string | null }) {
  const { url, by, body, headers = {}, query = {} } = call;
  const secret = call.secret ?? SECRET_PLACEHOLDER;
  // A new key's address has its secret already.
  const inAddress = by === "address" && call.secret === null ? { ...query, [SECRET_PARAMETER]: secret } : query;
  return [
    `curl -sS -X POST ${quoted(withQuery(url, inAddress))}`,
    ...(by === "bearer" ? [`-H ${quoted(`Authorization: Bearer ${secret}`)}`] : []),
    `-H ${quoted("Content-Type: application/json")}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}

function withQuery(url: string, query: JsonObject): string {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return parameters.size === 0 ? url : `${url}${url.includes("?") ? "&" : "?"}${parameters}`;
}

/** Inside single quotes, only the quote itself is special to a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
