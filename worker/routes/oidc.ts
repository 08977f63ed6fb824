import type { Context } from "hono";
import * as api from "../../schema/contract/api/auth.ts";
import type { AppEnv } from "../http/app-types.ts";
import { callerAddress } from "../http/caller-address.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { publicOrigin, requirePrivateTransport } from "../http/origin.ts";
import { clearCookie, readCookie, writeCookie } from "../http/session-cookie.ts";
import { logWarning } from "../services/log.ts";
import { finishSignIn } from "../services/oidc/finish-sign-in.ts";
import { FLOW_MS } from "../services/oidc/flow.ts";
import { backToSignIn } from "../services/oidc/back-to-sign-in.ts";
import { startSignIn } from "../services/oidc/start-sign-in.ts";

export const oidcEndpoints: readonly Endpoint[] = [
  endpoint(api.startOidc, (c) =>
    orBackToSignIn(c, async () => {
      requirePrivateTransport(c);
      const { location, cookie } = await startSignIn(c.var.deps, redirectUri(c), c.req.query());
      writeCookie(c, "oidc", cookie, FLOW_MS / 1_000);
      return c.redirect(location, 302);
    }),
  ),
  endpoint(api.finishOidc, (c) =>
    orBackToSignIn(c, async () => {
      requirePrivateTransport(c);
      const came = {
        redirectUri: redirectUri(c),
        cookie: readCookie(c, "oidc"),
        address: callerAddress(c),
        query: c.req.query(),
      };
      const { cookie, maxAgeSeconds, returnTo } = await finishSignIn(c.var.deps, came);
      // The cookie of the flow is valid once.
      clearCookie(c, "oidc");
      writeCookie(c, "session", cookie, maxAgeSeconds);
      return c.redirect(returnTo, 302);
    }),
  ),
];

/** People open these addresses in a browser, so the console explains a failure in words. */
async function orBackToSignIn(c: Context<AppEnv>, go: () => Promise<Response>): Promise<Response> {
  try {
    return await go();
  } catch (error) {
    const asked = { cookie: readCookie(c, "oidc"), returnTo: c.req.query("returnTo") };
    const back = acceptsHtml(c) ? backToSignIn(c.var.deps, asked, error) : null;
    if (back === null) throw error;
    logWarning("a sign-in with the OIDC issuer failed", { reason: back.reason, requestId: c.var.requestId });
    return c.redirect(back.location, 302);
  }
}

function acceptsHtml(c: Context<AppEnv>): boolean {
  return /\btext\/html\b/iu.test(c.req.header("Accept") ?? "");
}

/** The address that must be registered with the issuer, character by character. */
function redirectUri(context: Context<AppEnv>): string {
  return `${publicOrigin(context)}${api.finishOidc.path}`;
}
