import { SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair } from "jose";
import type { JWTPayload } from "jose";

/**
 * A real OIDC issuer on this machine: discovery, keys, authorization codes with PKCE, and any token that a test needs.
 */
export interface OidcIssuer {
  url: string;
  /** The number of requests by path. */
  hits: Map<string, number>;
  /** The redirect after a person's consent: the answer of the authorization endpoint. */
  authorize(location: string, claims: JWTPayload): string;
  /** The person that a browser at the authorization endpoint signs in as; null for a person who refuses. */
  consentAs(claims: JWTPayload | null): void;
  /** A token of this issuer; `claims` may override any claim, undefined removes one. */
  token(claims?: JWTPayload, header?: { kid?: string; typ?: string; jku?: string }): Promise<string>;
  /** A token signed with ES256. */
  ecToken(claims?: JWTPayload): Promise<string>;
  /** A token signed with HMAC, with the public key as the secret. */
  hmacToken(claims?: JWTPayload): Promise<string>;
  unsignedToken(claims?: JWTPayload): string;
  /** Replaces the key; the old one is gone. */
  rotate(): Promise<void>;
  /** Answers every request with 500. */
  fail(failing: boolean): void;
  stop(): Promise<void>;
}

export const CLIENT_ID = "bellhop-client";
export const CLIENT_SECRET = "a client's secret: 100% + more";

interface Grant {
  claims: JWTPayload;
  challenge: string;
  redirectUri: string;
}

/** `change` may replace the true answer. */
export async function startOidcIssuer(
  change: (answer: Response, path: string) => Response | Promise<Response> = (answer) => answer,
): Promise<OidcIssuer> {
  let rsa = await makeKey("RS256", "rsa-1");
  const ec = await makeKey("ES256", "ec-1");
  const grants = new Map<string, Grant>();
  const hits = new Map<string, number>();
  let failing = false;
  let person: JWTPayload | null = null;
  let rotations = 1;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => change(await answer(request), new URL(request.url).pathname),
  });
  const url: string = `http://127.0.0.1:${server.port}`;

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    hits.set(pathname, (hits.get(pathname) ?? 0) + 1);
    if (failing) return new Response("out of order", { status: 500 });
    if (pathname === "/.well-known/openid-configuration") return Response.json(metadata());
    if (pathname === "/keys") return Response.json({ keys: [rsa.jwk, ec.jwk] });
    if (pathname === "/authorize")
      return Response.redirect(person === null ? refuse(request.url) : authorize(request.url, person));
    if (pathname === "/token")
      return exchange(new URLSearchParams(await request.text()), request.headers.get("Authorization"));
    return new Response("not found", { status: 404 });
  }

  const authorize = (location: string, claims: JWTPayload): string => {
    const query = new URL(location).searchParams;
    const code = crypto.randomUUID();
    const redirectUri = query.get("redirect_uri") ?? "";
    grants.set(code, {
      claims: { nonce: query.get("nonce") ?? undefined, ...claims },
      challenge: query.get("code_challenge") ?? "",
      redirectUri,
    });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    // Issuers send additional parameters.
    back.searchParams.set("session_state", "any");
    return back.href;
  };
  const refuse = (location: string): string => {
    const query = new URL(location).searchParams;
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("state", query.get("state") ?? "");
    return back.href;
  };

  const metadata = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
  });

  async function exchange(form: URLSearchParams, authorization: string | null): Promise<Response> {
    const credentials = [CLIENT_ID, CLIENT_SECRET].map((part) =>
      new URLSearchParams({ x: part }).toString().slice("x=".length),
    );
    if (authorization !== `Basic ${btoa(credentials.join(":"))}`) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const code = String(form.get("code"));
    const grant = grants.get(code);
    grants.delete(code);
    const verifier = new TextEncoder().encode(String(form.get("code_verifier")));
    const challenge = Buffer.from(await crypto.subtle.digest("SHA-256", verifier)).toString("base64url");
    if (grant === undefined || challenge !== grant.challenge || form.get("redirect_uri") !== grant.redirectUri) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    return Response.json({ access_token: "unused", token_type: "Bearer", id_token: await token(grant.claims) });
  }

  const claimsOf = (claims: JWTPayload): JWTPayload => {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: url, aud: CLIENT_ID, sub: "account-1", iat: now, exp: now + 300, email_verified: true };
    const all: JWTPayload = { ...usual, ...claims };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  };
  const token = (claims: JWTPayload = {}, header: { kid?: string; typ?: string; jku?: string } = {}) =>
    new SignJWT(claimsOf(claims)).setProtectedHeader({ alg: "RS256", kid: rsa.kid, ...header }).sign(rsa.privateKey);

  return {
    url,
    hits,
    token,
    ecToken: (claims = {}) =>
      new SignJWT(claimsOf(claims)).setProtectedHeader({ alg: "ES256", kid: ec.kid }).sign(ec.privateKey),
    hmacToken: async (claims = {}) =>
      new SignJWT(claimsOf(claims))
        .setProtectedHeader({ alg: "HS256", kid: rsa.kid })
        .sign(new TextEncoder().encode(await exportSPKI(rsa.publicKey))),
    unsignedToken: (claims = {}) => new UnsecuredJWT(claimsOf(claims)).encode(),
    authorize,
    consentAs: (claims) => {
      person = claims;
    },
    rotate: async () => {
      rotations += 1;
      rsa = await makeKey("RS256", `rsa-${rotations}`);
    },
    fail: (value) => {
      failing = value;
    },
    stop: () => server.stop(true),
  };
}

async function makeKey(alg: "RS256" | "ES256", kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}
