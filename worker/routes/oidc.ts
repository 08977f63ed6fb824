import type { Context } from "hono";
import * as api from "../../schema/contract/api/auth.ts";
import type { AppEnv } from "../http/app-types.ts";
import { callerAddress } from "../http/caller-address.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { publicOrigin, requirePrivateTransport } from "../http/origin.ts";
import { clearCookie, readCookie, writeCookie } from "../http/session-cookie.ts";
import { finishSignIn } from "../services/oidc/finish-sign-in.ts";
import { FLOW_MS } from "../services/oidc/flow.ts";
import { startSignIn } from "../services/oidc/start-sign-in.ts";

export const oidcEndpoints: readonly Endpoint[] = [
  endpoint(api.startOidc, async (c) => {
    requirePrivateTransport(c);
    const { location, cookie } = await startSignIn(c.var.deps, redirectUri(c), c.req.query());
    writeCookie(c, "oidc", cookie, FLOW_MS / 1_000);
    return c.redirect(location, 302);
  }),
  endpoint(api.finishOidc, async (c) => {
    requirePrivateTransport(c);
    const came = {
      redirectUri: redirectUri(c),
      cookie: readCookie(c, "oidc"),
      address: callerAddress(c),
      query: c.req.query(),
    };
    const { cookie, maxAgeSeconds, returnTo } = await finishSignIn(c.var.deps, came);
    // It served once.
    clearCookie(c, "oidc");
    writeCookie(c, "session", cookie, maxAgeSeconds);
    return c.redirect(returnTo, 302);
  }),
];

/** To be registered with the issuer as it stands. */
function redirectUri(context: Context<AppEnv>): string {
  return `${publicOrigin(context)}${api.finishOidc.path}`;
}
