import type { Permission } from "../../schema/contract/people.ts";

/** Who calls a management route, and what that caller may do (design 7). `actor` is what the audit log shows. */
export interface Principal {
  kind: "bootstrap" | "token" | "session" | "oidc";
  /** The person behind it; null for the bootstrap token. */
  userId: string | null;
  actor: string;
  permissions: ReadonlySet<Permission>;
}
