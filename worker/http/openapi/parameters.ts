import type { Operation } from "../../../schema/contract/operation.ts";
import { sampleOf } from "./sample.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import { subschema } from "./subschema.ts";
import type { ParameterObject } from "./types.ts";

const IDEMPOTENCY_KEY =
  "Makes repeating safe: for 24 hours the same key with the same request gets the first answer again, and with another request a conflict. `X-Idempotency-Key` also works.";
const SECRET_KEY =
  "Makes repeating safe: for 24 hours the same key does nothing more. The service does not keep the secret, so a repeat is a conflict.";
const KEY_LENGTH = { schema: { type: "string", minLength: 1, maxLength: 255 } } as const;
const IF_NONE_MATCH = "The `ETag` that the caller has; if it is still current, the answer is 304.";
const IF_MATCH = "The `ETag` that the caller read: if it has changed since, nothing is done and the answer is 412.";

/** Path, query and header parameters, in this order. */
export function parametersOf(operation: Operation, registry: SchemaRegistry): ParameterObject[] {
  return [...pathParameters(operation), ...queryParameters(operation, registry), ...headerParameters(operation)];
}

function pathParameters({ path }: Operation): ParameterObject[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: Operation, registry: SchemaRegistry): ParameterObject[] {
  if (query === undefined) return [];
  const { properties = {}, required: needed = [] } = registry.input(query);
  return Object.entries(properties).map(([name, inner]) => {
    const { description, ...schema } = subschema(inner) ?? {};
    const required = needed.includes(name);
    const example = required ? sampleOf(schema, registry.resolve, { name }) : undefined;
    return { name, in: "query", required, description, schema, example };
  });
}

function headerParameters({ idempotent, etag, method, headers = [] }: Operation): ParameterObject[] {
  const header = (name: string, description: string, more: Partial<ParameterObject> = {}): ParameterObject => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
    ...more,
  });
  const key = idempotent && header("Idempotency-Key", idempotent === true ? IDEMPOTENCY_KEY : SECRET_KEY, KEY_LENGTH);
  const match = etag && (method === "GET" ? header("If-None-Match", IF_NONE_MATCH) : header("If-Match", IF_MATCH));
  const own = headers.map(({ name, description, required = false }) => header(name, description, { required }));
  return [...own, key ?? [], match ?? []].flat();
}
