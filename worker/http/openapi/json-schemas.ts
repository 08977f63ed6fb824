import { z } from "zod";
import type { JsonSchema } from "./types.ts";

/** Shapes as JSON Schema, which refer to the `named` ones. The last name of a shape counts. */
export function jsonSchemas(
  io: "input" | "output",
  named: Readonly<Record<string, z.ZodType>>,
  others: readonly z.ZodType[],
): { named: Record<string, JsonSchema>; of: (schema: z.ZodType) => JsonSchema } {
  const registry = z.registry<{ id: string }>();
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  for (const [schema, id] of names) registry.add(schema, { id });
  // Behind `lazy` a named shape stays a reference, and any other is written out, wherever else it is used.
  const ids = new Map([...new Set(others)].map((schema, index) => [schema, `(${index})`]));
  for (const [schema, id] of ids) {
    registry.add(
      z.lazy(() => schema),
      { id },
    );
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    unrepresentable: "any",
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => tidy(io, zodSchema, jsonSchema),
  });
  const schemaOf = (id = "") => {
    const { $schema: _dialect, $id: _address, ...schema } = schemas[id] ?? {};
    return schema;
  };
  return {
    named: Object.fromEntries([...names.values()].map((name) => [name, schemaOf(name)])),
    of: (schema) => schemaOf(ids.get(schema)),
  };
}

function tidy(io: "input" | "output", { _zod: { def } }: z.core.$ZodTypes, schema: JsonSchema): void {
  // Answers may grow: who reads them ignores what it does not know.
  if (io === "output" && def.type === "object" && def.catchall === undefined) delete schema.additionalProperties;
  // A format says it shorter than the pattern that checks it.
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
}
