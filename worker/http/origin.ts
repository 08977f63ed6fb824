import { isLoopback } from "../../schema/contract/loopback.ts";
import type { Context } from "hono";
import { ProblemError } from "../services/problem.ts";
import { publicOrigin as originOf } from "../services/public-origin.ts";
import type { AppEnv } from "./app-types.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** The address that people reach this deployment by: PUBLIC_URL's origin, or the request's own. */
export function publicOrigin(context: Context<AppEnv>): string {
  return originOf(context.get("deps").settings, context.req.url);
}

/** Whether browsers talk to this deployment over https; a proxy in front may be the one that does (PUBLIC_URL). */
export function isHttps(context: Context<AppEnv>): boolean {
  return [context.req.url, publicOrigin(context)].some((address) => new URL(address).protocol === "https:");
}

/** Over plain http a password and a session go to this machine alone. */
export function requirePrivateTransport(context: Context<AppEnv>): void {
  if (isHttps(context) || isLoopback(new URL(context.req.url).hostname)) return;
  throw new ProblemError(
    "forbidden",
    "Signing in needs https: a password would travel in plain. Set PUBLIC_URL to the https:// address when a proxy stands in front.",
  );
}

/**
 * Against forged requests: a browser sends cookies along with what another site makes it send, but also that site's
 * Origin. `required`: a write by cookie without an Origin is refused as well.
 */
export function requireOwnOrigin(context: Context<AppEnv>, required: boolean): void {
  if (SAFE_METHODS.has(context.req.method)) return;
  const origin = context.req.header("Origin");
  if (origin === undefined && !required) return;
  if (origin !== undefined && [new URL(context.req.url).origin, publicOrigin(context)].includes(origin)) return;
  throw new ProblemError(
    "forbidden",
    `A change by cookie needs the header Origin: ${publicOrigin(context)}. Scripts use an API token instead.`,
  );
}
