import type { UserView } from "../../../schema/contract/people.ts";

/** How a user can sign in, as text. */
export function waysIn({ hasPassword, hasOidcAccount }: Pick<UserView, "hasPassword" | "hasOidcAccount">): string {
  if (hasPassword && hasOidcAccount) return "password and organisation";
  if (hasPassword) return "password";
  return hasOidcAccount ? "organisation" : "organisation, not yet seen";
}
