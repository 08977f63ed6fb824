import { ROLE_PERMISSIONS, permissionSchema } from "../../schema/contract/people.ts";
import type { Permission, Role } from "../../schema/contract/people.ts";

/**
 * What an API token may do now: what it was made for, as far as its owner's role still reaches. Null is the role of a
 * token that belongs to nobody.
 */
export function tokenPermissions(given: readonly string[], ownerRole: Role | null): ReadonlySet<Permission> {
  const reach: readonly Permission[] = ownerRole === null ? permissionSchema.options : ROLE_PERMISSIONS[ownerRole];
  return new Set(reach.filter((permission) => given.includes(permission)));
}

/** The role's permissions, for a person who signed in. */
export function rolePermissions(role: Role): ReadonlySet<Permission> {
  return new Set<Permission>(ROLE_PERMISSIONS[role]);
}
