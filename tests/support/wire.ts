import { jsonValueSchema } from "../../schema/contract/json.ts";
import { join } from "node:path";
import { z } from "zod";
import type { JsonValue } from "../../schema/contract/json.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";

/** One recorded call between an agent and a service of an earlier release. */
const exchangeSchema = z.object({
  request: z.object({
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
    body: jsonValueSchema,
  }),
  answer: z.object({ status: z.number(), headers: z.record(z.string(), z.string()), body: jsonValueSchema }),
});
export type Exchange = z.infer<typeof exchangeSchema>;

/**
 * A recorded exchange with new values for its placeholders: `{{key}}`, `{{session}}`, and ids and leases that differ
 * every time.
 */
export async function recorded(
  protocol: number,
  name: string,
  changes: Record<string, string> = {},
): Promise<Exchange> {
  let text = await Bun.file(join(import.meta.dir, `../wire/protocol-${protocol}/${name}.json`)).text();
  for (const [from, to] of Object.entries(changes)) text = text.replaceAll(from, to);
  return exchangeSchema.parse(JSON.parse(text));
}

/** Objects of a job whose names come from its workflow, not from the protocol. */
const OF_THE_WORKFLOW = new Set(["params", "values"]);

/**
 * The parts of `old` that `now` lacks or has in another form: fields may be added, but not removed or changed in type.
 * A job's `params` and `values` only have to be objects.
 */
export function missing(old: JsonValue, now: JsonValue | undefined, path = "$"): string[] {
  if (now === undefined) return [`${path} is gone`];
  if (old === null || now === null) return [];
  if (kindOf(old) !== kindOf(now)) return [`${path} was ${kindOf(old)} and is ${kindOf(now)}`];
  if (Array.isArray(old) && Array.isArray(now)) {
    const [first] = old;
    if (first === undefined) return [];
    if (now.length === 0) return [`${path} is empty`];
    return now.flatMap((entry, index) => missing(first, entry, `${path}[${index}]`));
  }
  if (!isJsonObject(old) || !isJsonObject(now)) return [];
  return Object.entries(old).flatMap(([name, value]) =>
    missing(OF_THE_WORKFLOW.has(name) ? {} : value, now[name], `${path}.${name}`),
  );
}

/** Objects whose keys are user-defined names: one more field would be one more value. */
const MAPS = new Set(["params", "config", "values", "output", "publicKey"]);

/** The same value from a later version: with unknown fields in every object. */
export function withUnknownFields(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (!isJsonObject(value)) return value;
  const known = Object.entries(value).map(([name, inner]): [string, JsonValue] => [
    name,
    MAPS.has(name) ? inner : withUnknownFields(inner),
  ]);
  return { ...Object.fromEntries(known), fromTheFuture: { nested: [1, "two", null] } };
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : typeof value;
}
