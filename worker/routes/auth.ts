import * as api from "../../schema/contract/api/auth.ts";
import { callerAddress } from "../http/caller-address.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { requireOwnOrigin, requirePrivateTransport } from "../http/origin.ts";
import { readSignInBody } from "../http/parse.ts";
import { answer } from "../http/respond.ts";
import { DEVICE_MAX_AGE_SECONDS, clearCookie, readCookie, writeCookie } from "../http/session-cookie.ts";
import { changePassword } from "../services/sessions/change-password.ts";
import { showMe } from "../services/people/me.ts";
import { signInMethods } from "../services/people/sign-in-methods.ts";
import { login } from "../services/sessions/login.ts";
import { logout } from "../services/sessions/logout.ts";

export const authEndpoints: readonly Endpoint[] = [
  endpoint(api.login, async (c) => {
    requireOwnOrigin(c, false);
    requirePrivateTransport(c);
    const caller = { address: callerAddress(c), deviceCookie: readCookie(c, "device") };
    const { cookie, maxAgeSeconds, deviceCookie, view } = await login(c.var.deps, caller, await readSignInBody(c));
    writeCookie(c, "session", cookie, maxAgeSeconds);
    writeCookie(c, "device", deviceCookie, DEVICE_MAX_AGE_SECONDS);
    return answer(c, view);
  }),
  endpoint(api.logout, async (c) => {
    const data = await logout(c.var.deps, c.var.principal);
    clearCookie(c, "session");
    return answer(c, data);
  }),
  endpoint(api.getMe, async (c) => answer(c, await showMe(c.var.deps, c.var.principal))),
  endpoint(api.changePassword, async (c) => {
    const caller = { address: callerAddress(c), deviceCookie: readCookie(c, "device") };
    return answer(c, await changePassword(c.var.deps, c.var.principal, caller, await readSignInBody(c)));
  }),
  endpoint(api.listSignInMethods, async (c) => answer(c, await signInMethods(c.var.deps))),
];
