import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { UserView } from "../../schema/contract/people.ts";
import { LOGIN_LIMITS } from "../../worker/domain/login-limit.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { problemOf } from "../support/management-api.ts";
import { createUser, logIn, openBrowser, signedIn } from "../support/people.ts";
import { query } from "../support/database.ts";

/** A deployment that knows no caller's address, because any caller could forge one. */
let bellhop: Service;
let owner: UserView;
beforeAll(async () => {
  bellhop = await startApp({ bindings: { TRUSTED_CLIENT_IP_HEADER: "" } });
  owner = await createUser(bellhop);
});
beforeEach(() => query(bellhop, "delete from login_failures"));
afterAll(() => bellhop.stop());

async function wrong(times: number, email: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) {
    statuses.push((await logIn(openBrowser(bellhop), email, "a wrong password")).status);
  }
  return statuses;
}

/** Sets the counters as if attempts had been made. */
const countAll = (failures: number) => query(bellhop, "update login_failures set failures = ?", [failures]);

test("wrong guesses by others do not lock out the account's owner", async () => {
  expect(await wrong(8, owner.email)).toEqual(Array.from({ length: 8 }, () => 401));
  expect((await logIn(openBrowser(bellhop), owner.email)).status).toBe(200);
});

test("guesses at made-up accounts lock no one out", async () => {
  await wrong(2, "made-up@example.com");
  await countAll(10_000);
  expect((await logIn(openBrowser(bellhop), owner.email)).status).toBe(200);
});

test.each(["CF-Connecting-IP", "X-Real-IP", "X-Forwarded-For"])("an address in %s is ignored", async (header) => {
  await openBrowser(bellhop).call(
    "POST",
    "/api/v1/auth/login",
    { email: owner.email, password: "wrong" },
    // The second header becomes `request.cf`, because Miniflare replaces Cloudflare here.
    { [header]: "203.0.113.9", "MF-CF-Blob": "{}" },
  );
  const [row] = await query(bellhop, "select detail from audit_log where verb = 'login-failed' order by id desc");
  expect(JSON.parse(String(row?.["detail"]))).toMatchObject({ email: owner.email, address: null });
  expect(await query(bellhop, "select * from login_failures")).toHaveLength(1);
});

test("an account allows ten wrong passwords, then one a minute", async () => {
  // The eleventh is the first of a minute.
  expect(await wrong(13, owner.email)).toEqual([...Array.from({ length: 11 }, () => 401), 429, 429]);
});

test("a flood of wrong passwords does not lock out a browser that has signed in to the account before", async () => {
  const known = await signedIn(bellhop, owner);
  await wrong(1, owner.email);
  await countAll(10_000);
  expect(await wrong(2, owner.email)).toEqual([401, 429]);
  expect((await logIn(openBrowser(bellhop), owner.email)).status).toBe(429);
  expect((await logIn(known, owner.email)).status).toBe(200);
  // The known browser is limited, too: its cookie does not allow guessing.
  for (let i = 0; i < LOGIN_LIMITS.device; i += 1) await logIn(known, owner.email, "a wrong password");
  expect((await logIn(known, owner.email)).status).toBe(429);
});

test("wrong current passwords in a password change count for the account, too", async () => {
  const session = await signedIn(bellhop, owner);
  session.cookies.delete("bellhop_device");
  await wrong(1, owner.email);
  await countAll(LOGIN_LIMITS.unplacedEmail);
  const change = { currentPassword: "a wrong password", newPassword: "a newer password" };
  const statuses: number[] = [];
  for (let i = 0; i < 2; i += 1) {
    statuses.push((await session.call("POST", "/api/v1/auth/password", change)).status);
  }
  expect(statuses).toEqual([400, 429]);
  expect(await wrong(1, owner.email)).toEqual([429]);
});

test("above an account's limit one attempt a minute is admitted, and the owner can sign in", async () => {
  await wrong(1, owner.email);
  await countAll(LOGIN_LIMITS.unplacedEmail);
  expect(await wrong(3, owner.email)).toEqual([401, 429, 429]);
  const response = await logIn(openBrowser(bellhop), owner.email);
  const retryAfter = Number(response.headers.get("Retry-After"));
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect((await problemOf(response, 429, "rate_limit_exceeded")).detail).toMatch(
    /Wait (\d+ s|1 minute) and try again/u,
  );
  await query(bellhop, "update login_failures set window_started_at = window_started_at - 60000");
  expect((await logIn(openBrowser(bellhop), owner.email)).status).toBe(200);
  // A sign-in clears the failed attempts.
  expect(await query(bellhop, "select * from login_failures")).toEqual([]);
});

test("the audit log has one entry when an account reaches the limit", async () => {
  await wrong(1, owner.email);
  await countAll(LOGIN_LIMITS.unplacedEmail);
  const lines = () => query(bellhop, "select * from audit_log where detail like '%too many attempts%'");
  const before = await lines();
  await wrong(4, owner.email);
  expect(await lines()).toHaveLength(before.length + 1);
});
