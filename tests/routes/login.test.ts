import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { sessionSchema } from "../../schema/contract/people.ts";
import { LOGIN_LIMITS } from "../../worker/domain/login-limit.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { AUTH, PASSWORD, createUser, logIn, openBrowser, signedIn } from "../support/people.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
  await createUser(bellhop);
});
afterAll(() => bellhop.stop());

const statuses = (responses: Response[]) => responses.map(({ status }) => status);

async function failures(count: number, email: string, address: string): Promise<number[]> {
  const browser = openBrowser(bellhop, address);
  const responses: Response[] = [];
  for (let i = 0; i < count; i += 1) responses.push(await logIn(browser, email, "a wrong password"));
  return statuses(responses);
}

/** Sets the counters as if attempts had been made. */
async function countAll(failuresNow: number): Promise<void> {
  await query(bellhop, "update login_failures set failures = ?", [failuresNow]);
}

describe("signing in", () => {
  test("returns the user, the permissions and the expiry, and sets a cookie that scripts cannot read", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const before = Date.now();
    const response = await logIn(openBrowser(bellhop), user.email.toUpperCase());
    const cookies = response.headers.getSetCookie();
    const session = await dataOf(response, 200, sessionSchema);
    expect(session).toMatchObject({ user: { id: user.id }, permissions: ["automation:read"] });
    const twelveHours = 12 * 60 * 60_000;
    expect(Date.parse(session.expiresAt) - before).toBeGreaterThanOrEqual(twelveHours);
    const line = cookies.find((cookie) => cookie.startsWith("bellhop_session="));
    expect(line).toMatch(/^bellhop_session=[\w-]{43}\.[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/u);
  });

  test("stores a digest of the session's id, never the id", async () => {
    const browser = await signedIn(bellhop, await createUser(bellhop, { role: "viewer" }));
    const id = browser.cookies.get("bellhop_session")?.split(".")[0] ?? "";
    expect(id).toHaveLength(43);
    expect(JSON.stringify(await query(bellhop, "select * from sessions"))).not.toContain(id);
  });

  test("issues a new id every time, also to a browser that sends one", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const browser = await signedIn(bellhop, user);
    const planted = browser.cookies.get("bellhop_session");
    await logIn(browser, user.email);
    expect(browser.cookies.get("bellhop_session")).not.toBe(planted);
  });

  test("gets the same problem for a wrong password, an unknown email and a disabled account", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const disabled = await createUser(bellhop, { role: "viewer" });
    await bellhop.api("PATCH", `/api/v1/automation/users/${disabled.id}`, { enabled: false });
    const browser = openBrowser(bellhop, "192.0.2.10");
    const problems = [
      await problemOf(await logIn(browser, user.email, "a wrong password"), 401, "unauthorized"),
      await problemOf(await logIn(browser, "unknown@example.com"), 401, "unauthorized"),
      await problemOf(await logIn(browser, disabled.email), 401, "unauthorized"),
    ];
    expect(new Set(problems.map(({ detail }) => detail)).size).toBe(1);
    expect(browser.cookies.size).toBe(0);
  });

  test("refuses an invalid body, with the missing fields", async () => {
    const browser = openBrowser(bellhop);
    expect(await errorPathsOf(await browser.call("POST", `${AUTH}/login`, {}))).toEqual(["email", "password"]);
    expect(await errorPathsOf(await logIn(browser, "no address"))).toEqual(["email"]);
    expect(await errorPathsOf(await logIn(browser, "a@example.com", "x".repeat(1_025)))).toEqual(["password"]);
  });

  test("is refused to pages of other sites, and allowed without an Origin", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const body = { email: user.email, password: PASSWORD };
    const browser = openBrowser(bellhop);
    for (const Origin of ["https://evil.example", "null", bellhop.url.replace("http", "https")]) {
      await problemOf(await browser.call("POST", `${AUTH}/login`, body, { Origin }), 403, "forbidden");
    }
    expect((await browser.call("POST", `${AUTH}/login`, body, { Origin: null })).status).toBe(200);
  });

  test("is in the audit log, as is a failure, without the password", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const browser = openBrowser(bellhop, "192.0.2.20");
    await logIn(browser, user.email, "not the password");
    await logIn(browser, user.email);
    await logIn(browser, "unknown@example.com", "not the password");
    const rows = await query(bellhop, "select * from audit_log where verb like 'login%' order by id desc limit 3");
    const shown = rows.map((row) => ({
      actor: row["actor"],
      verb: row["verb"],
      subject: row["subject_id"],
      detail: z.json().parse(JSON.parse(String(row["detail"]))),
    }));
    const reason = "wrong email or password";
    const address = "192.0.2.20";
    expect(shown).toEqual([
      {
        actor: "anonymous",
        verb: "login-failed",
        subject: "unknown",
        detail: { email: "unknown@example.com", address, reason },
      },
      { actor: `user:${user.email}`, verb: "login", subject: user.id, detail: { method: "password", address } },
      { actor: "anonymous", verb: "login-failed", subject: user.id, detail: { email: user.email, address, reason } },
    ]);
  });
});

describe("failed sign-ins", () => {
  test("are limited to five for an email from one address; then even the right password waits", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    expect(await failures(5, user.email, "198.51.100.1")).toEqual([401, 401, 401, 401, 401]);
    const response = await logIn(openBrowser(bellhop, "198.51.100.1"), user.email);
    const retryAfter = Number(response.headers.get("Retry-After"));
    expect(retryAfter).toBeGreaterThan(800);
    expect(retryAfter).toBeLessThanOrEqual(900);
    await problemOf(response, 429, "rate_limit_exceeded");
    // From another address the owner can sign in.
    expect((await logIn(openBrowser(bellhop, "198.51.100.2"), user.email)).status).toBe(200);
  });

  test("are counted one by one, also at the same moment", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const browser = openBrowser(bellhop, "198.51.100.3");
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => logIn(browser, user.email, "a wrong password")),
    );
    expect(statuses(responses).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429, 429, 429, 429]);
  });

  test("are reset by a success, and when their window has passed", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    await failures(4, user.email, "198.51.100.4");
    expect((await logIn(openBrowser(bellhop, "198.51.100.4"), user.email)).status).toBe(200);
    expect(await failures(6, user.email, "198.51.100.4")).toEqual([401, 401, 401, 401, 401, 429]);
    await query(bellhop, "update login_failures set window_started_at = window_started_at - 900000");
    expect((await logIn(openBrowser(bellhop, "198.51.100.4"), user.email)).status).toBe(200);
  });

  test("are limited for an address across all emails, and then count for no further email", async () => {
    await query(bellhop, "delete from login_failures");
    await failures(1, "first@example.com", "198.51.100.5");
    await countAll(LOGIN_LIMITS.address);
    expect(await failures(2, "second@example.com", "198.51.100.5")).toEqual([429, 429]);
    // The address, and the two keys of the first attempt: a flood fills no table.
    expect(await query(bellhop, "select * from login_failures")).toHaveLength(3);
    expect(await failures(1, "second@example.com", "198.51.100.6")).toEqual([401]);
  });

  test("of an IPv6 caller count for its network", async () => {
    const email = "ipv6@example.com";
    const addresses = [1, 2, 3, 4, 5, 6].map((host) => `2001:db8:7:7::${host}`);
    const answered: number[] = [];
    for (const address of addresses) answered.push(...(await failures(1, email, address)));
    expect(answered).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test("count for the last of several addresses, which the proxy added", async () => {
    const answered: number[] = [];
    for (let i = 1; i <= 6; i += 1)
      answered.push(...(await failures(1, "l@example.com", `10.0.0.${i}, 198.51.100.60`)));
    expect(answered).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test("from many addresses are limited for an email, except in a browser that has signed in before", async () => {
    const user = await createUser(bellhop, { role: "viewer" });
    const known = await signedIn(bellhop, user);
    await query(bellhop, "delete from login_failures");
    await failures(1, user.email, "198.51.100.7");
    await countAll(LOGIN_LIMITS.email);
    // One attempt is admitted every ten seconds.
    expect(await failures(2, user.email, "198.51.100.8")).toEqual([401, 429]);
    expect((await logIn(openBrowser(bellhop, "198.51.100.9"), user.email)).status).toBe(429);
    expect((await logIn(known, user.email)).status).toBe(200);
    // The known browser is limited, too; its cookie is for this email only.
    const wrong: Response[] = [];
    for (let i = 0; i < 6; i += 1) wrong.push(await logIn(known, user.email, "a wrong password"));
    expect(statuses(wrong)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test("leave one audit entry when the limit is reached, and not one for every refusal", async () => {
    const email = "flooded@example.com";
    await failures(9, email, "198.51.100.11");
    const rows = await query(bellhop, "select detail from audit_log where verb = 'login-failed' and detail like ?", [
      `%${email}%too many%`,
    ]);
    expect(rows).toHaveLength(1);
  });

  test("leave no email and no address in their table, and are deleted after their window", async () => {
    await failures(1, "ada@example.com", "198.51.100.12");
    expect(JSON.stringify(await query(bellhop, "select * from login_failures"))).not.toMatch(/ada@|198\.51/u);
    await query(bellhop, "update login_failures set window_started_at = window_started_at - 900001");
    await bellhop.worker.tick();
    expect(await query(bellhop, "select * from login_failures")).toEqual([]);
  });
});
