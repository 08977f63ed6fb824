import { z } from "zod";

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.object({ properties: z.record(z.string(), z.unknown()).optional() })).optional(),
});

/** The top-level names of a contract: of an object, or of every variant of a union. A record has none. */
export function namesOf(schema: z.ZodType): string[] {
  const json = objectSchema.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const objects = [json, ...(json.anyOf ?? [])];
  return [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))];
}
