import { hash } from "node:crypto";
import { oidcStartQuerySchema } from "../../../schema/contract/people.ts";
import type { Deps } from "../deps.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { randomSecret } from "../random.ts";
import { signFlow } from "./flow.ts";
import { issuerOf } from "./issuer.ts";
import { isLocalPath } from "./local-path.ts";
import { signInSettings } from "./sign-in-settings.ts";

const SCOPES = "openid email profile";

/**
 * The issuer's address for a sign-in, and the cookie for the callback: state, nonce and PKCE's verifier (RFC 7636,
 * S256) belong to this browser, so a callback of a sign-in that began elsewhere is refused.
 */
export async function startSignIn(
  deps: Deps,
  redirectUri: string,
  query: unknown,
): Promise<{ location: string; cookie: string }> {
  const settings = signInSettings(deps.settings);
  const { returnTo } = parseInput(oidcStartQuerySchema, query);
  if (!isLocalPath(returnTo)) {
    throw invalidInput([{ path: "returnTo", message: "must be a path of this deployment, such as /workflows" }]);
  }
  const now = deps.now();
  const metadata = await issuerOf(settings.issuer).metadata(now);
  const flow = { state: randomSecret(), nonce: randomSecret(), verifier: randomSecret(), returnTo };
  const location = new URL(metadata.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: settings.client.id,
    redirect_uri: redirectUri,
    scope: SCOPES,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: hash("sha256", flow.verifier, "base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return { location: location.href, cookie: signFlow(deps.settings.secret, flow, now) };
}
