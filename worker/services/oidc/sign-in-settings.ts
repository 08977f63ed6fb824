import type { OidcSettings } from "../oidc-settings.ts";
import type { Settings } from "../settings.ts";
import { SignInRefused } from "./sign-in-refused.ts";

/** The settings for sign-in; 404 when sign-in is not set up. */
export function signInSettings({ oidc }: Settings): OidcSettings & { client: { id: string; secret: string | null } } {
  if (oidc?.client === undefined) {
    throw new SignInRefused(
      "not_found",
      "not-set-up",
      "OIDC sign-in is not set up here. Set OIDC_ISSUER and OIDC_CLIENT_ID, or sign in with email and password.",
    );
  }
  return { ...oidc, client: oidc.client };
}
