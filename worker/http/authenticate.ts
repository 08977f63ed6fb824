import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { permissionSchema } from "../../schema/contract/people.ts";
import type { Permission } from "../../schema/contract/people.ts";
import type { Env } from "../env.ts";
import { ProblemError } from "../services/problem.ts";
import type { AppEnv } from "./app-types.ts";
import type { Principal } from "./principal.ts";

/** Finds out who calls a management route, or answers 401. */
export const authenticate = createMiddleware<AppEnv>(async (context, next) => {
  const token = bearerToken(context.req.header("Authorization"));
  if (token === null) {
    throw unauthorized("Send the header Authorization: Bearer <token>.");
  }
  const principal = bootstrapPrincipal(context.env, token);
  if (principal === null) throw unauthorized("The token is not valid. Check that it was copied whole.");
  context.set("principal", principal);
  await next();
});

/** Lets the caller on only with this permission; 403 otherwise. */
export function requirePermission(permission: Permission) {
  return createMiddleware<AppEnv>(async (context, next) => {
    if (!context.get("principal").permissions.has(permission)) {
      throw new ProblemError("forbidden", `This needs the permission ${permission}. Ask an administrator for it.`);
    }
    await next();
  });
}

/** The token of `Authorization: Bearer <token>` (RFC 6750, 2.1); null for anything else. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/iu.exec(header ?? "")?.[1] ?? null;
}

function bootstrapPrincipal(env: Env, token: string): Principal | null {
  const expected = env.BOOTSTRAP_ADMIN_TOKEN ?? "";
  if (expected === "" || !equalInConstantTime(token, expected)) return null;
  return { kind: "bootstrap", userId: null, actor: "bootstrap", permissions: new Set(permissionSchema.options) };
}

function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function unauthorized(detail: string): ProblemError {
  return new ProblemError("unauthorized", detail, { headers: { "WWW-Authenticate": "Bearer" } });
}
