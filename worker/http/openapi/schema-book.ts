import { z } from "zod";
import { tidySchema } from "./tidy-schema.ts";
import { mapSubschemas } from "./subschemas.ts";
import type { JsonSchema } from "./types.ts";

type Io = "input" | "output";

const IN_ZOD = "#/$defs/";
const IN_DOCUMENT = "#/components/schemas/";

/** Turns the contract's shapes into the document's. */
export interface SchemaBook {
  /** What a caller sends: fields with a default may be left out. */
  input(schema: z.ZodType): JsonSchema;
  /** What the service answers. */
  output(schema: z.ZodType): JsonSchema;
  /** The shapes that were referred to so far, by name, and those that these refer to. */
  components(): Record<string, JsonSchema>;
  resolve(ref: string): JsonSchema;
}

type Named = Readonly<Record<string, z.ZodType>>;

/**
 * Named shapes become components, everything else stands where it is used. One that looks different from both sides,
 * because of a default or a transformation, has a second component, `<name>Input`; those of `requests` are only sent.
 */
export function schemaBook({ shared, requests }: { shared: Named; requests: Named }): SchemaBook {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...shared, ...requests })) registry.add(schema, { id });
  const known = { input: convertAll(registry, "input"), output: convertAll(registry, "output") };
  const differing = namesThatDiffer(known);
  const used = new Map<string, JsonSchema>();

  const rename = (io: Io, schema: JsonSchema): JsonSchema => {
    const { $ref, ...rest } = mapSubschemas(schema, (inner) => rename(io, inner));
    if ($ref === undefined) return rest;
    return { $ref: IN_DOCUMENT + refer(io, $ref.slice(IN_ZOD.length)), ...rest };
  };
  const refer = (io: Io, name: string): string => {
    const shown = io === "input" && differing.has(name) && !Object.hasOwn(requests, name) ? `${name}Input` : name;
    if (!used.has(shown)) {
      // First the name: a shape may contain itself.
      used.set(shown, {});
      used.set(shown, rename(io, known[io].get(name) ?? {}));
    }
    return shown;
  };
  const convert = (io: Io, schema: z.ZodType): JsonSchema => {
    const name = registry.get(schema)?.id;
    if (name !== undefined) return { $ref: IN_DOCUMENT + refer(io, name) };
    const converted = z.toJSONSchema(schema, { ...options(io), metadata: registry });
    return rename(io, tidySchema(converted, known[io]));
  };
  return {
    input: (schema) => convert("input", schema),
    output: (schema) => convert("output", schema),
    components: () => Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
    resolve: (ref) => used.get(ref.slice(IN_DOCUMENT.length)) ?? {},
  };
}

function convertAll(registry: z.core.$ZodRegistry<{ id: string }>, io: Io): Map<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { ...options(io), uri: (id) => IN_ZOD + id });
  const names = Object.keys(schemas);
  const known = new Map<string, JsonSchema>(names.map((name) => [name, {}]));
  for (const name of names) {
    known.set(name, tidySchema(schemas[name] ?? {}, known, name));
  }
  return known;
}

/** Those that are different themselves, and those that refer to one that is. */
function namesThatDiffer({ input, output }: Record<Io, Map<string, JsonSchema>>): Set<string> {
  const texts = new Map([...output].map(([name, schema]) => [name, JSON.stringify(schema)]));
  const differing = new Set(
    [...texts].flatMap(([name, text]) => (text === JSON.stringify(input.get(name)) ? [] : [name])),
  );
  for (let before = -1; before < differing.size;) {
    before = differing.size;
    for (const [name, text] of texts) {
      if ([...differing].some((other) => text.includes(`"${IN_ZOD}${other}"`))) differing.add(name);
    }
  }
  return differing;
}

function options(io: Io) {
  return {
    io,
    unrepresentable: "any",
    // Answers may grow: who reads them ignores what it does not know.
    override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }) => {
      const {
        _zod: { def },
      } = zodSchema;
      if (io === "output" && def.type === "object" && def.catchall === undefined)
        delete jsonSchema.additionalProperties;
    },
  } as const;
}
