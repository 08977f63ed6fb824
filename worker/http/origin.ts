import { isLoopback } from "../../schema/contract/loopback.ts";
import type { Context } from "hono";
import { ProblemError } from "../services/problem.ts";
import { publicOrigin as originOf } from "../services/public-origin.ts";
import type { AppEnv } from "./app-types.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** The public address of this deployment: PUBLIC_URL's origin, or the request's. */
export function publicOrigin(context: Context<AppEnv>): string {
  return originOf(context.get("deps").settings, context.req.url);
}

/** Whether browsers reach this deployment over https, perhaps through a proxy that ends TLS (PUBLIC_URL). */
export function isHttps(context: Context<AppEnv>): boolean {
  return [context.req.url, publicOrigin(context)].some((address) => new URL(address).protocol === "https:");
}

/** Over plain http, a password or a session may only go to this machine. */
export function requirePrivateTransport(context: Context<AppEnv>): void {
  if (isHttps(context) || isLoopback(new URL(context.req.url).hostname)) return;
  throw new ProblemError(
    "forbidden",
    "Signing in needs https, because http does not encrypt passwords. Behind a proxy, set PUBLIC_URL to the https:// address.",
  );
}

/**
 * Protects against forged requests: a browser sends cookies with requests that another site makes, but also that site's
 * Origin. `required`: refuses a write by cookie without an Origin, too.
 */
export function requireOwnOrigin(context: Context<AppEnv>, required: boolean): void {
  if (SAFE_METHODS.has(context.req.method)) return;
  const origin = context.req.header("Origin");
  if (origin === undefined && !required) return;
  if (origin !== undefined && [new URL(context.req.url).origin, publicOrigin(context)].includes(origin)) return;
  throw new ProblemError(
    "forbidden",
    `A write with a session cookie needs the header Origin: ${publicOrigin(context)}. Scripts use an API token instead.`,
  );
}
