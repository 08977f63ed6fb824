import { z } from "zod";

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.object({ properties: z.record(z.string(), z.unknown()).optional() })).optional(),
});

/** The names that a contract knows at its top: of an object, or of every form of a union. Of a record there are none. */
export function namesOf(schema: z.ZodType): string[] {
  const json = objectSchema.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const objects = [json, ...(json.anyOf ?? [])];
  return [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))];
}
