import { z } from "zod";
import { createdTokenSchema, userSchema } from "../../schema/contract/people.ts";
import type { Permission, Role, UserView } from "../../schema/contract/people.ts";
import { viewUser } from "../../worker/services/people/view.ts";
import { newId } from "../../worker/services/ids.ts";
import { CLIENT_IP_HEADER } from "./bellhop.ts";
import { query } from "./database.ts";
import type { Service } from "./bellhop.ts";
import { NEW_CONNECTION } from "./new-connection.ts";

/** Makes users, sessions and tokens through the API. Each call fails the test when it is refused. */
export const AUTH = "/api/v1/auth";
const USERS = "/api/v1/automation/users";
export const PASSWORD = "correct horse battery staple";

let people = 0;
let lastCreatedAt = 0;

/** PASSWORD at the lowest cost: hashing and comparing it at the service's cost takes most of a test's time. */
const CHEAP_HASH = "$2b$04$kNOZ8S4OPZPGayk83s9KD.jhYJO1DnHpnxCAO25Ttj3GHGazLYhki";

/** A user with PASSWORD is written into the database; one with another password, or none, is created by the API. */
export async function createUser(
  bellhop: Service,
  input: { role?: Role; email?: string; password?: string | null } = {},
): Promise<UserView> {
  people += 1;
  const { role = "admin", email = `person-${people}@example.com`, password = PASSWORD } = input;
  const name = "A person";
  if (password !== PASSWORD) {
    const body = { email, name, role, ...(password === null ? {} : { password }) };
    return succeeded(await bellhop.api("POST", USERS, body), userSchema);
  }
  // Users are listed newest first: no two have the same time.
  lastCreatedAt = Math.max(Date.now(), lastCreatedAt + 1);
  const createdAt = lastCreatedAt;
  const id = newId("user", createdAt);
  await query(
    bellhop,
    "insert into users (id, email, name, role, password_hash, enabled, created_at) values (?, ?, ?, ?, ?, 1, ?)",
    [id, email, name, role, CHEAP_HASH, createdAt],
  );
  const passwordHash = CHEAP_HASH;
  return viewUser({
    id,
    email,
    name,
    role,
    passwordHash,
    oidcSubject: null,
    enabled: true,
    createdAt,
    lastLoginAt: null,
  });
}

/** A browser: it keeps cookies, and sends its page's Origin. */
export interface Browser {
  cookies: Map<string, string>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string | null>): Promise<Response>;
}

/** `origin`: the origin of its page; the service's own by default. */
export function openBrowser(bellhop: Service, address = "192.0.2.1"): Browser {
  const cookies = new Map<string, string>();
  return {
    cookies,
    call: async (method, path, body, headers = {}) => {
      const all = new Headers({ [CLIENT_IP_HEADER]: address, Origin: bellhop.url });
      if (cookies.size > 0) all.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
      if (body !== undefined) all.set("Content-Type", "application/json");
      for (const [name, value] of Object.entries(headers)) {
        if (value === null) all.delete(name);
        else all.set(name, value);
      }
      const response = await fetch(new URL(path, bellhop.url), {
        method,
        headers: all,
        redirect: "manual",
        ...NEW_CONNECTION,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ""] = line.split(";");
        const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
        if (/max-age=0\b/iu.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
  };
}

export function logIn(browser: Browser, email: string, password = PASSWORD): Promise<Response> {
  return browser.call("POST", `${AUTH}/login`, { email, password });
}

/** A browser of a signed-in user. */
export async function signedIn(bellhop: Service, user: { email: string }, password = PASSWORD): Promise<Browser> {
  const browser = openBrowser(bellhop);
  const response = await logIn(browser, user.email, password);
  if (!response.ok) throw new Error(`the login was answered ${response.status}: ${await response.text()}`);
  return browser;
}

/** An API token of the browser's user. */
interface TokenInput {
  permissions: readonly Permission[];
  name?: string;
  expiresAt?: string;
}

export async function createToken(browser: Browser, input: TokenInput) {
  return succeeded(await browser.call("POST", `${AUTH}/tokens`, { name: "a token", ...input }), createdTokenSchema);
}

/** A token without an owner. */
export async function createOwnerlessToken(bellhop: Service, input: TokenInput) {
  return succeeded(await bellhop.api("POST", `${AUTH}/tokens`, { name: "a token", ...input }), createdTokenSchema);
}

export function withBearer(
  bellhop: Service,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return fetch(`${bellhop.url}${path}`, {
    ...NEW_CONNECTION,
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The status of `GET /me` with a bearer token. */
export async function meStatus(bellhop: Service, token: string): Promise<number> {
  return (await withBearer(bellhop, token, "GET", `${AUTH}/me`)).status;
}

export async function succeeded<T>(response: Response, shape: z.ZodType<T>): Promise<T> {
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`answered ${response.status}: ${JSON.stringify(answer)}`);
  return z.object({ success: z.literal(true), data: shape }).parse(answer).data;
}
