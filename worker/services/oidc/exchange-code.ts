import { z } from "zod";
import { logWarning } from "../log.ts";
import { fetchJson } from "./fetch-json.ts";
import type { IssuerMetadata } from "./metadata.ts";
import { SignInRefused } from "./sign-in-refused.ts";

const answerSchema = z.object({ id_token: z.string().max(65_536) });
const errorSchema = z.object({ error: z.string().max(64) });

/** The ID token for a code (OpenID Connect Core, 3.1.3). The issuer makes sure that a code serves once. */
export async function exchangeCode(
  metadata: IssuerMetadata,
  client: { id: string; secret: string | null },
  given: { code: string; verifier: string; redirectUri: string },
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code: given.code,
    redirect_uri: given.redirectUri,
    code_verifier: given.verifier,
  });
  const headers = new Headers({ "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" });
  const methods = metadata.token_endpoint_auth_methods_supported;
  if (client.secret !== null && methods.includes("client_secret_basic")) {
    headers.set("Authorization", basic(client.id, client.secret));
  } else {
    form.set("client_id", client.id);
    if (client.secret !== null) form.set("client_secret", client.secret);
  }
  const { status, body } = await fetchJson(metadata.token_endpoint, {
    method: "POST",
    headers,
    body: form.toString(),
  });
  const answer = answerSchema.safeParse(body);
  if (status === 200 && answer.success) return answer.data.id_token;
  logWarning("the OIDC issuer gave no ID token", { status, error: errorSchema.safeParse(body).data?.error ?? null });
  throw new SignInRefused(
    "unauthorized",
    "bad-answer",
    "The issuer did not accept the sign-in: its code may have been used already. Sign in again.",
  );
}

/** Both parts are form-encoded first (RFC 6749, 2.3.1). */
function basic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ x: text }).toString().slice("x=".length);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
}
