import { readMetrics } from "../../schema/contract/api/metrics.ts";
import { ROLE_PERMISSIONS, permissionSchema, roleSchema } from "../../schema/contract/people.ts";
import type { Permission } from "../../schema/contract/people.ts";
import type { Operation } from "../../schema/contract/operation.ts";
import type { Bellhop } from "./bellhop.ts";
import type { OidcIssuer } from "./oidc-issuer.ts";
import { AUTH, createToken, createUser, signedIn } from "./people.ts";
import type { Browser } from "./people.ts";
import { query } from "./database.ts";

/** The deployment's setting METRICS_TOKEN: start the service with this value. */
export const METRICS_TOKEN = "test-metrics-token-0123456789-0123456789";

/** How an operation responds to a caller: 401, 403, or any other answer counts as admitted. */
export type Outcome = 401 | 403 | "admitted";

export interface Caller {
  name: string;
  headers(): Record<string, string>;
  /** How an operation that is not public responds to this caller. */
  outcome(operation: Operation): Outcome;
}

/** Every kind of caller, each with its own credentials. */
export async function makeCallers(bellhop: Bellhop, issuer: OidcIssuer): Promise<Caller[]> {
  const admin = await createUser(bellhop);
  const byAdmin = await signedIn(bellhop, admin);
  return [
    unauthenticated("a caller without credentials", {}),
    unauthenticated("an unknown token", bearer("garbage")),
    unauthenticated("a token of another kind", { Authorization: "Basic dXNlcjpwYXNzd29yZA==" }),
    unauthenticated("an empty token", { Authorization: "Bearer" }),
    {
      name: "the metrics token",
      headers: () => bearer(METRICS_TOKEN),
      outcome: ({ id }) => (id === readMetrics.id ? "admitted" : 401),
    },
    may("the bootstrap token", bearer(bellhop.adminToken), permissionSchema.options),
    ...(await tokens(bellhop, byAdmin)),
    ...(await sessions(bellhop, admin.email)),
    ...(await oidc(issuer)),
  ];
}

async function tokens(bellhop: Bellhop, byAdmin: Browser): Promise<Caller[]> {
  const all = permissionSchema.options;
  const make = async (permissions: readonly Permission[]) => (await createToken(byAdmin, { permissions })).secret;
  const alone: Caller[] = [];
  const without: Caller[] = [];
  for (const permission of all) {
    const others = all.filter((other) => other !== permission);
    alone.push(may(`a token with only ${permission}`, bearer(await make([permission])), [permission]));
    without.push(may(`a token with all permissions but ${permission}`, bearer(await make(others)), others));
  }
  const expired = await createToken(byAdmin, { permissions: all });
  await query(bellhop, "update api_tokens set expires_at = 1 where id = ?", [expired.token.id]);
  const deleted = await createToken(byAdmin, { permissions: all });
  await byAdmin.call("DELETE", `${AUTH}/tokens/${deleted.token.id}`);

  return [
    ...alone,
    ...without,
    unauthenticated("an expired token", bearer(expired.secret)),
    unauthenticated("a deleted token", bearer(deleted.secret)),
    unauthenticated(
      "a token of a disabled user",
      bearer(await ownerThen(bellhop, { enabled: false, keepTokens: true })),
    ),
    unauthenticated("a token of a deleted user", bearer(await ownerThen(bellhop, "delete"))),
    may(
      "a token of an administrator who is a viewer now",
      bearer(await ownerThen(bellhop, { role: "viewer" })),
      ROLE_PERMISSIONS.viewer,
    ),
  ];
}

/** A token with all permissions whose owner is changed or deleted afterwards. */
async function ownerThen(bellhop: Bellhop, change: object | "delete"): Promise<string> {
  const owner = await createUser(bellhop);
  const { secret } = await createToken(await signedIn(bellhop, owner), { permissions: permissionSchema.options });
  const path = `/api/v1/automation/users/${owner.id}`;
  await (change === "delete" ? bellhop.api("DELETE", path) : bellhop.api("PATCH", path, change));
  return secret;
}

async function sessions(bellhop: Bellhop, adminEmail: string): Promise<Caller[]> {
  const Origin = bellhop.url;
  const cookieOf = async (email: string) => cookies(await signedIn(bellhop, { email }));
  const perRole = await Promise.all(
    roleSchema.options.map(async (role) => {
      const { email } = await createUser(bellhop, { role });
      return may(`the session of a ${role}`, { Cookie: await cookieOf(email), Origin }, ROLE_PERMISSIONS[role]);
    }),
  );
  const ended = await signedIn(bellhop, { email: adminEmail });
  const Ended = cookies(ended);
  await ended.call("POST", `${AUTH}/logout`);
  const leaver = await createUser(bellhop, { role: "admin" });
  const Leaver = await cookieOf(leaver.email);
  await bellhop.api("PATCH", `/api/v1/automation/users/${leaver.id}`, { enabled: false });
  return [
    ...perRole,
    readsOnly("a session without an Origin", { Cookie: await cookieOf(adminEmail) }),
    readsOnly("a session on another site's page", {
      Cookie: await cookieOf(adminEmail),
      Origin: "https://evil.example",
    }),
    unauthenticated("a session that has ended", { Cookie: Ended, Origin }),
    unauthenticated("a session of a disabled user", { Cookie: Leaver, Origin }),
    unauthenticated("an invented session", { Cookie: `bellhop_session=${"A".repeat(43)}.${"A".repeat(43)}`, Origin }),
    unauthenticated("a session together with an unknown token", {
      Cookie: await cookieOf(adminEmail),
      Origin,
      ...bearer("garbage"),
    }),
  ];
}

async function oidc(issuer: OidcIssuer): Promise<Caller[]> {
  const person = { sub: "caller", email: "caller@issuer.example", roles: ["editor"] };
  const roleless = bearer(await issuer.token({ sub: "roleless", email: "roleless@issuer.example" }));
  return [
    may("the issuer's token for an editor", bearer(await issuer.token(person)), ROLE_PERMISSIONS.editor),
    unauthenticated("an expired token of the issuer", bearer(await issuer.token({ ...person, exp: 1 }))),
    unauthenticated(
      "a token of the issuer for another audience",
      bearer(await issuer.token({ ...person, aud: "other" })),
    ),
    unauthenticated("an unsigned token in the issuer's name", bearer(issuer.unsignedToken(person))),
    unauthenticated("a token signed with the issuer's public key", bearer(await issuer.hmacToken(person))),
    {
      name: "the issuer's token for a person without a role",
      headers: () => roleless,
      outcome: () => 403,
    },
  ];
}

function unauthenticated(name: string, headers: Record<string, string>): Caller {
  return { name, headers: () => headers, outcome: () => 401 };
}

function may(name: string, headers: Record<string, string>, permissions: readonly Permission[]): Caller {
  return {
    name,
    headers: () => headers,
    outcome: ({ access }) =>
      access === "anyone" || permissions.some((permission) => permission === access) ? "admitted" : 403,
  };
}

/** An administrator in a browser, on a page that must not act for the person. */
function readsOnly(name: string, headers: Record<string, string>): Caller {
  return { name, headers: () => headers, outcome: ({ method }) => (method === "GET" ? "admitted" : 403) };
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

function cookies({ cookies }: Browser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}
