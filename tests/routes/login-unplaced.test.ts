import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { UserView } from "../../schema/contract/people.ts";
import { LOGIN_LIMITS } from "../../worker/domain/login-limit.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { problemOf } from "../support/management-api.ts";
import { createUser, logIn, openBrowser, signedIn } from "../support/people.ts";
import { query } from "../support/database.ts";

/** Where nothing says from where a caller comes, everybody could pretend to come from anywhere. */
let bellhop: Bellhop;
let owner: UserView;
beforeAll(async () => {
  bellhop = await startBellhop({ bindings: { TRUSTED_CLIENT_IP_HEADER: "" } });
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

/** As if attempts had been made. */
const countAll = (failures: number) => query(bellhop, "update login_failures set failures = ?", [failures]);

test("guesses of others do not keep the owner of an account out", async () => {
  expect(await wrong(8, owner.email)).toEqual(Array.from({ length: 8 }, () => 401));
  expect((await logIn(openBrowser(bellhop), owner.email)).status).toBe(200);
});

test("guesses at made-up accounts keep nobody else out", async () => {
  await wrong(2, "made-up@example.com");
  await countAll(10_000);
  expect((await logIn(openBrowser(bellhop), owner.email)).status).toBe(200);
});

test.each(["CF-Connecting-IP", "X-Real-IP", "X-Forwarded-For"])("an address in %s is not believed", async (header) => {
  await openBrowser(bellhop).call(
    "POST",
    "/api/v1/auth/login",
    { email: owner.email, password: "wrong" },
    // The second is taken for `request.cf` where Miniflare stands in for Cloudflare.
    { [header]: "203.0.113.9", "MF-CF-Blob": "{}" },
  );
  const [row] = await query(bellhop, "select detail from audit_log where verb = 'login-failed' order by id desc");
  expect(JSON.parse(String(row?.["detail"]))).toMatchObject({ email: owner.email, address: null });
  expect(await query(bellhop, "select * from login_failures")).toHaveLength(1);
});

test("ten wrong passwords are compared for an account, then one a minute", async () => {
  // The eleventh is the first of a minute.
  expect(await wrong(13, owner.email)).toEqual([...Array.from({ length: 11 }, () => 401), 429, 429]);
});

test("a flood of wrong passwords keeps no browser out that has signed in to the account before", async () => {
  const known = await signedIn(bellhop, owner);
  await wrong(1, owner.email);
  await countAll(10_000);
  expect(await wrong(2, owner.email)).toEqual([401, 429]);
  expect((await logIn(openBrowser(bellhop), owner.email)).status).toBe(429);
  expect((await logIn(known, owner.email)).status).toBe(200);
  // It is limited, too: its cookie is no way to guess.
  for (let i = 0; i < LOGIN_LIMITS.device; i += 1) await logIn(known, owner.email, "a wrong password");
  expect((await logIn(known, owner.email)).status).toBe(429);
});

test("wrong current passwords of a change of the password count for the account, too", async () => {
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

test("above the limit of an account one attempt is let on every minute, and its owner gets in", async () => {
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
  // Who has signed in has shown that the attempts may be forgotten.
  expect(await query(bellhop, "select * from login_failures")).toEqual([]);
});

test("the audit log says once that the limit was met", async () => {
  await wrong(1, owner.email);
  await countAll(LOGIN_LIMITS.unplacedEmail);
  const lines = () => query(bellhop, "select * from audit_log where detail like '%too many attempts%'");
  const before = await lines();
  await wrong(4, owner.email);
  expect(await lines()).toHaveLength(before.length + 1);
});
