import type { UserView } from "../../../schema/contract/people.ts";
import type { UserRow } from "../../store/users.ts";

/** A user as the API shows them. */
export function viewUser(row: UserRow): UserView {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    enabled: row.enabled,
    hasPassword: row.passwordHash !== null,
    hasOidcAccount: row.oidcSubject !== null,
    createdAt: new Date(row.createdAt).toISOString(),
    lastLoginAt: row.lastLoginAt === null ? null : new Date(row.lastLoginAt).toISOString(),
  };
}
