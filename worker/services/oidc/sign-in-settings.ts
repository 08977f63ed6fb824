import { oidcSettings } from "../oidc-settings.ts";
import type { OidcEnv, OidcSettings } from "../oidc-settings.ts";
import { SignInRefused } from "./sign-in-refused.ts";

/** For sign-in: 404 where it is not set up. */
export function signInSettings(env: OidcEnv): OidcSettings & { client: { id: string; secret: string | null } } {
  const settings = oidcSettings(env);
  if (settings?.client === undefined) {
    throw new SignInRefused(
      "not_found",
      "not-set-up",
      "OIDC sign-in is not set up here. Set OIDC_ISSUER and OIDC_CLIENT_ID, or sign in with e-mail and password.",
    );
  }
  return { ...settings, client: settings.client };
}
