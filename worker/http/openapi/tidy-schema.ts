import { mapSubschemas } from "./subschemas.ts";
import type { JsonSchema } from "./types.ts";

/**
 * Shapes that contain themselves. The contract builds them level by level, to a greatest depth; here each is one
 * component that refers to itself, known by its fields.
 */
const RECURSIVE: readonly { name: string; fields: string }[] = [
  { name: "Graph", fields: "edges,nodes" },
  { name: "ForEachNode", fields: "body,concurrency,id,items,name,type" },
  { name: "ConditionGroup", fields: "conditions,logic" },
];

/**
 * A schema as zod converts it, fit for reading. `known` gets the recursive shapes that are found; `name` is that of the
 * component which this is.
 */
export function tidySchema(schema: JsonSchema, known: Map<string, JsonSchema>, name?: string): JsonSchema {
  const fields = Object.keys(schema.properties ?? {})
    .sort()
    .join(",");
  const recursive = RECURSIVE.find((shape) => shape.fields === fields)?.name;
  if (recursive !== undefined && recursive !== name) {
    if (!known.has(recursive)) {
      known.set(recursive, {});
      known.set(recursive, tidySchema(schema, known, recursive));
    }
    return { $ref: `#/$defs/${recursive}` };
  }
  const rest = mapSubschemas(schema, (inner) => tidySchema(inner, known));
  // What names the schema as a document of its own.
  delete rest.$schema;
  delete rest.$id;
  delete rest.$defs;
  // A format says it shorter than the pattern that checks it.
  if (rest.format !== undefined) delete rest.pattern;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (JSON.stringify(rest.propertyNames) === '{"type":"string"}') delete rest.propertyNames;
  return rest;
}
