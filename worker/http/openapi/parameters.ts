import type { Operation } from "../../../schema/contract/operation.ts";
import { sampleOf } from "./sample.ts";
import type { SchemaBook } from "./schema-book.ts";
import { subschema } from "./subschema.ts";
import type { JsonSchema, ParameterObject } from "./types.ts";

const IDEMPOTENCY_KEY =
  "Makes repeating safe: within 24 hours the same key with the same request is answered as it was the first time, and with another request is a conflict. `X-Idempotency-Key` is taken, too.";
const SECRET_KEY =
  "Makes repeating safe: within 24 hours the same key does nothing again. The secret is not kept, so a repeat is a conflict.";

/** Path, query and header parameters, in this order. */
export function parametersOf(operation: Operation, book: SchemaBook): ParameterObject[] {
  return [...pathParameters(operation), ...queryParameters(operation, book), ...headerParameters(operation)];
}

function pathParameters({ path }: Operation): ParameterObject[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: Operation, book: SchemaBook): ParameterObject[] {
  if (query === undefined) return [];
  const schema = book.input(query);
  const { properties = {}, required = [] } = schema.$ref === undefined ? schema : book.resolve(schema.$ref);
  return Object.entries(properties).map(([name, inner]) => {
    const { description, ...field } = subschema(inner) ?? {};
    const needed = required.includes(name);
    return {
      name,
      in: "query",
      required: needed,
      ...(description === undefined ? {} : { description }),
      schema: field,
      ...(needed ? { example: sampleOf(field, book.resolve, { name }) } : {}),
    };
  });
}

function headerParameters({ idempotent, etag, method, headers = [] }: Operation): ParameterObject[] {
  const header = (name: string, description: string, schema: JsonSchema = { type: "string" }): ParameterObject => ({
    name,
    in: "header",
    required: false,
    description,
    schema,
  });
  return [
    ...headers.map(({ name, description, required = false }) => ({ ...header(name, description), required })),
    ...(idempotent === undefined
      ? []
      : [
          header("Idempotency-Key", idempotent === true ? IDEMPOTENCY_KEY : SECRET_KEY, {
            type: "string",
            minLength: 1,
            maxLength: 255,
          }),
        ]),
    ...(etag === undefined
      ? []
      : method === "GET"
        ? [header("If-None-Match", "The `ETag` of what the caller has; when it is still that, the answer is 304.")]
        : [
            header(
              "If-Match",
              "The `ETag` of what the caller saw: when it has changed since, nothing is done and the answer is 412.",
            ),
          ]),
  ];
}
