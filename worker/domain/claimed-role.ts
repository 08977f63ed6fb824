import { roleSchema } from "../../schema/contract/people.ts";
import type { Role } from "../../schema/contract/people.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";

type Claims = Readonly<Record<string, unknown>>;

/**
 * The highest Bellhop role in a claim of an OIDC token; null for none. The claim is a string or a list of strings,
 * found by its name, or, if no claim has that name, by its path: `realm_access.roles`.
 */
export function claimedRole(claims: Claims, claimName: string): Role | null {
  const value = claimOf(claims, claimName);
  const held = Array.isArray(value) ? value : [value];
  return roleSchema.options.findLast((role) => held.includes(role)) ?? null;
}

function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const key of name.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
