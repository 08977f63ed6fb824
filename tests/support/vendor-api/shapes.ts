import type { Json } from "./description.ts";

/** A request of a vendor's API by its documentation: the fields of the query and of the JSON body. */
interface Call {
  query?: Json;
  body?: Json;
  /** In addition to `application/json`. */
  contentTypes?: string[];
}

const text = { type: "string" };

/** An OpenAPI 3 description of `calls`, each by its method and path; `{name}` in a path matches one segment. */
export function described(calls: Record<string, Call>, schemas: Json = {}): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [call, { query = {}, body, contentTypes = ["application/json"] }] of Object.entries(calls)) {
    const [method = "", path = ""] = call.split(" ");
    const inPath = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => ({ name, in: "path", schema: text }));
    const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema }));
    const content = Object.fromEntries(contentTypes.map((type) => [type, { schema: body }]));
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        parameters: [...inPath, ...inQuery],
        ...(body === undefined ? {} : { requestBody: { required: true, content } }),
      },
    };
  }
  return { openapi: "3.0.0", paths, components: { schemas } };
}

/** An object with these properties and no others; those whose names end in `!` are required. */
export function object(properties: Json): Json {
  const entries = Object.entries(properties).map(([name, schema]) => [name.replace("!", ""), schema] as const);
  const required = Object.keys(properties).filter((name) => name.endsWith("!"));
  return {
    type: "object",
    properties: Object.fromEntries(entries),
    ...(required.length === 0 ? {} : { required: required.map((name) => name.slice(0, -1)) }),
  };
}
