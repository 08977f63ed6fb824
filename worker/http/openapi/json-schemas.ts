import { z } from "zod";
import type { JsonSchema } from "./types.ts";

/** Shapes as JSON Schema, with references to the `named` ones. A shape with several names gets the last one. */
export function jsonSchemas(
  io: "input" | "output",
  named: Readonly<Record<string, z.ZodType>>,
  others: readonly z.ZodType[],
): { named: Record<string, JsonSchema>; of: (schema: z.ZodType) => JsonSchema } {
  const registry = z.registry<{ id: string }>();
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  for (const [schema, id] of names) registry.add(schema, { id });
  // With `lazy`, named shapes stay references, and all others are written out wherever they are used.
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
  // Answers may get new fields, which readers ignore.
  if (io === "output" && def.type === "object" && def.catchall === undefined) delete schema.additionalProperties;
  // A format is shorter than the pattern that checks it.
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
}
