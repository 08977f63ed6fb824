import type { Browser, BrowserContext } from "playwright-core";

export type Cookies = Parameters<BrowserContext["addCookies"]>[0];

export const ADMIN = { email: "bench@example.com", password: "correct horse battery staple" };

/** The cookies of a session of the administrator. */
export async function signIn(browser: Browser, url: string): Promise<Cookies> {
  const context = await browser.newContext({ baseURL: url });
  const answer = await context.request.post("/api/v1/auth/login", { data: ADMIN, headers: { Origin: url } });
  if (!answer.ok()) throw new Error(`signing in was answered ${answer.status()}`);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}
