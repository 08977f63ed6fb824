import type { Permission } from "../../../schema/contract/people.ts";

/** What a caller without a permission reads; `of` names the part of the request that needs it. */
export function missingPermission(permission: Permission, of?: string): string {
  return `This needs the permission ${permission}${of === undefined ? "" : ` for ${of}`}. Ask an administrator for it.`;
}
