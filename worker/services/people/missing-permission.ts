import type { Permission } from "../../../schema/contract/people.ts";
import type { Principal } from "./principal.ts";

/** What a caller without a permission reads; `of` names the part of the request that needs it. */
export function missingPermission({ kind }: Pick<Principal, "kind">, permission: Permission, of?: string): string {
  const out = kind === "token" ? "This token lacks it: make one that has it." : "Ask an administrator for it.";
  return `This needs the permission ${permission}${of === undefined ? "" : ` for ${of}`}. ${out}`;
}
