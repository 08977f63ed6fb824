import { ROLE_PERMISSIONS, permissionSchema } from "../../schema/contract/people.ts";
import type { Permission, Role } from "../../schema/contract/people.ts";

/**
 * An API token's permissions now: those that it was made with, as far as its owner's role still has them. The role is
 * null for a token without an owner.
 */
export function tokenPermissions(given: readonly string[], ownerRole: Role | null): ReadonlySet<Permission> {
  const reach: readonly Permission[] = ownerRole === null ? permissionSchema.options : ROLE_PERMISSIONS[ownerRole];
  return new Set(reach.filter((permission) => given.includes(permission)));
}

/** The role's permissions, for a person who signed in. */
export function rolePermissions(role: Role): ReadonlySet<Permission> {
  return new Set<Permission>(ROLE_PERMISSIONS[role]);
}
