import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppEnv } from "./app-types.ts";
import { isHttps } from "./origin.ts";

const COOKIES = {
  session: "bellhop_session",
  /** A browser that has signed in before (services/sessions/known-device.ts). */
  device: "bellhop_device",
  /** A sign-in with the OIDC issuer that is under way. */
  oidc: "bellhop_oidc",
} as const;
export type CookieKind = keyof typeof COOKIES;

export const DEVICE_MAX_AGE_SECONDS = 180 * 24 * 60 * 60;

export function readCookie(context: Context<AppEnv>, kind: CookieKind): string | null {
  return getCookie(context, nameOf(context, kind)) ?? null;
}

/** Hidden from scripts, and not sent with requests from other sites, except when a person follows a link. */
export function writeCookie(context: Context<AppEnv>, kind: CookieKind, value: string, maxAgeSeconds: number): void {
  setCookie(context, nameOf(context, kind), value, { ...attributes(context), maxAge: maxAgeSeconds });
}

export function clearCookie(context: Context<AppEnv>, kind: CookieKind): void {
  deleteCookie(context, nameOf(context, kind), attributes(context));
}

/** With `__Host-` over https, no other host and no plain connection can have set the cookie (RFC 6265bis, 4.1.3). */
function nameOf(context: Context<AppEnv>, kind: CookieKind): string {
  return `${isHttps(context) ? "__Host-" : ""}${COOKIES[kind]}`;
}

function attributes(context: Context<AppEnv>) {
  return { path: "/", httpOnly: true, sameSite: "Lax", secure: isHttps(context) } as const;
}
