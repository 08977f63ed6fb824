import type { z } from "zod";
import type { signInMethodsSchema } from "../../../schema/contract/people.ts";
import { hasEnabledAdmin } from "../../store/users.ts";
import type { Deps } from "../deps.ts";
import { canSignInByOidc, signInWays } from "../oidc-settings.ts";

/**
 * How one can sign in here: what a page for signing in offers. Whether it must be set up first is one look for an
 * administrator, and none where no bootstrap token could make one.
 */
export async function signInMethods(deps: Deps): Promise<z.infer<typeof signInMethodsSchema>> {
  const canSetUp = deps.settings.bootstrapToken !== null;
  const needsSetup = canSetUp && !(await hasEnabledAdmin(deps.db, signInWays(deps.settings)));
  return { password: true, oidc: canSignInByOidc(deps.settings), needsSetup };
}
