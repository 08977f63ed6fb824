import type { Permission } from "../../schema/contract/people.ts";

/** Who calls a management route, and what that caller may do (design 7). `actor` is what the audit log shows. */
export interface Principal {
  actor: string;
  permissions: ReadonlySet<Permission>;
}
