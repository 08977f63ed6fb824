import { z } from "zod";
import { fetchJson, issuerUnavailable } from "./fetch-json.ts";
import { isSafeUrl } from "../../../schema/settings/url.ts";

const address = z.string().refine(isSafeUrl);

const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
});
export type IssuerMetadata = z.infer<typeof metadataSchema>;

/**
 * An issuer's metadata (OpenID Connect Discovery 1.0, 4). Its `issuer` must be exactly the configured one (4.3):
 * another issuer's metadata would bring another issuer's keys.
 */
export async function readMetadata(issuer: string): Promise<IssuerMetadata> {
  const { status, body } = await fetchJson(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`);
  const parsed = metadataSchema.safeParse(body);
  if (status !== 200 || !parsed.success)
    throw issuerUnavailable(`its OpenID configuration is not usable (HTTP ${status})`);
  if (parsed.data.issuer !== issuer) {
    throw issuerUnavailable(`it names itself ${parsed.data.issuer}, and OIDC_ISSUER is ${issuer}`);
  }
  return parsed.data;
}
