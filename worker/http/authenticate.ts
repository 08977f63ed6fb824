import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { readMetrics } from "../../schema/contract/api/metrics.ts";
import { permissionSchema } from "../../schema/contract/people.ts";
import type { Permission } from "../../schema/contract/people.ts";
import { authenticateJwt } from "../services/oidc/authenticate.ts";
import { missingPermission } from "../services/principal.ts";
import { ProblemError } from "../services/problem.ts";
import { authenticateSession } from "../services/sessions/authenticate.ts";
import type { Settings } from "../services/settings.ts";
import { authenticateToken } from "../services/tokens/authenticate.ts";
import type { AppEnv } from "./app-types.ts";
import { requireOwnOrigin } from "./origin.ts";
import type { Principal } from "./principal.ts";
import { readCookie } from "./session-cookie.ts";

interface Identified {
  principal: Principal;
  /** Work after the handler, for which the answer does not wait. */
  afterwards?: (() => Promise<void>) | null;
}

/**
 * Identifies the caller of a management route, or answers 401. A bearer token takes precedence over a cookie, because
 * browsers send cookies unasked, but never a bearer token. Nothing is cached between requests (invariant 8).
 */
export const authenticate = createMiddleware<AppEnv>(async (context, next) => {
  const { principal, afterwards } = await identify(context);
  context.set("principal", principal);
  await next();
  // After the handler, to stay out of the way of its writes. Never rejects.
  if (afterwards) context.executionCtx.waitUntil(afterwards());
});

/** Identifies the caller by the present state of the request's credentials. Throws `unauthorized` or `forbidden`. */
export async function identify(context: Context<AppEnv>): Promise<Identified> {
  const header = context.req.header("Authorization") ?? "";
  return /^Bearer\b/iu.test(header) ? byToken(context, header) : bySession(context);
}

/** Refuses callers without this permission: 403. */
export function requirePermission(permission: Permission) {
  return createMiddleware<AppEnv>(async (context, next) => {
    const by = context.get("principal");
    if (!by.permissions.has(permission)) throw new ProblemError("forbidden", missingPermission(by, permission));
    await next();
  });
}

/** The token of `Authorization: Bearer <token>` (RFC 6750, 2.1); null for anything else. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/iu.exec(header ?? "")?.[1] ?? null;
}

/** Tokens differ in form, so a guessed token costs a comparison and no query. */
async function byToken(context: Context<AppEnv>, header: string): Promise<Identified> {
  const token = bearerToken(header) ?? "";
  const deps = context.get("deps");
  const bootstrap = bootstrapPrincipal(deps.settings, token) ?? scraperPrincipal(context, token);
  if (bootstrap !== null) return { principal: bootstrap };
  const identified = await authenticateToken(deps, token);
  if (identified !== null) return identified;
  const principal = await authenticateJwt(deps, token);
  if (principal !== null) return { principal };
  throw unauthorized(
    "The token is not valid. Check that it was copied whole, is not deleted, has not expired, and that its owner is enabled.",
  );
}

async function bySession(context: Context<AppEnv>): Promise<Identified> {
  const cookie = readCookie(context, "session");
  if (cookie === null) throw unauthorized("Send the header Authorization: Bearer <token>, or sign in.");
  const principal = await authenticateSession(context.get("deps"), cookie);
  if (principal === null) throw unauthorized("The session has ended. Sign in again.");
  requireOwnOrigin(context, true);
  return { principal };
}

function bootstrapPrincipal({ bootstrapToken: expected }: Settings, token: string): Principal | null {
  if (expected === null || !equalInConstantTime(token, expected)) return null;
  return {
    kind: "bootstrap",
    userId: null,
    actor: "bootstrap",
    role: "admin",
    permissions: new Set(permissionSchema.options),
  };
}

/** METRICS_TOKEN opens one address and needs no database, so that metrics work while the database is away. */
function scraperPrincipal(context: Context<AppEnv>, token: string): Principal | null {
  const expected = context.get("deps").settings.metricsToken;
  if (context.req.path !== readMetrics.path || expected === null || !equalInConstantTime(token, expected)) return null;
  return { kind: "token", userId: null, actor: "metrics", role: null, permissions: new Set(["automation:read"]) };
}

function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function unauthorized(detail: string): ProblemError {
  return new ProblemError("unauthorized", detail, { headers: { "WWW-Authenticate": "Bearer" } });
}
