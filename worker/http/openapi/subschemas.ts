import type { JsonSchema } from "./types.ts";

type Subschema = JsonSchema | boolean;

/** The same schema with every schema directly inside it replaced. */
export function mapSubschemas(schema: JsonSchema, map: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const one = <T extends Subschema>(inner: T) => (typeof inner === "boolean" ? inner : map(inner));
  const byName = (inner: Record<string, Subschema>) =>
    Object.fromEntries(Object.entries(inner).map(([name, value]) => [name, one(value)]));
  const { properties, additionalProperties, propertyNames, items, prefixItems, anyOf, oneOf, allOf, not } = schema;
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: byName(properties) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: one(additionalProperties) }),
    ...(propertyNames === undefined ? {} : { propertyNames: one(propertyNames) }),
    ...(items === undefined ? {} : { items: Array.isArray(items) ? items.map(one) : one(items) }),
    ...(prefixItems === undefined ? {} : { prefixItems: prefixItems.map(one) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(map) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(map) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(map) }),
    ...(not === undefined ? {} : { not: one(not) }),
  };
}

/** The schema of `items`, `additionalProperties` and the like, where it says something. */
export function subschema(inner: Subschema | Subschema[] | undefined): JsonSchema | undefined {
  return typeof inner === "object" && !Array.isArray(inner) ? inner : undefined;
}
