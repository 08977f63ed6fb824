import type { z } from "zod";
import type { signInMethodsSchema } from "../../../schema/contract/people.ts";
import type { Deps } from "../deps.ts";
import { canSignInByOidc } from "../oidc/settings.ts";

/** How one can sign in here: what a page for signing in offers. */
export function signInMethods(deps: Deps): z.infer<typeof signInMethodsSchema> {
  return { password: true, oidc: canSignInByOidc(deps.env) };
}
