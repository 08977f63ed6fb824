import type { z } from "zod";
import type { signInMethodsSchema } from "../../../schema/contract/people.ts";
import { hasEnabledAdmin } from "../../store/users.ts";
import type { Deps } from "../deps.ts";
import { canSignInByOidc, signInWays } from "../oidc-settings.ts";

/**
 * The ways to sign in that the sign-in page offers. `needsSetup` costs a query for an administrator, and none without a
 * bootstrap token, which alone could make one.
 */
export async function signInMethods(deps: Deps): Promise<z.infer<typeof signInMethodsSchema>> {
  const canSetUp = deps.settings.bootstrapToken !== null;
  const needsSetup = canSetUp && !(await hasEnabledAdmin(deps.db, signInWays(deps.settings)));
  return { password: true, oidc: canSignInByOidc(deps.settings), needsSetup };
}
