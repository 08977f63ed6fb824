import { afterAll, beforeAll, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { EventReader } from "../support/events.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createWebhookWorkflow } from "../support/management.ts";
import { AUTH, createToken, createUser, signedIn } from "../support/people.ts";
import type { Browser } from "../support/people.ts";

let bellhop: Bellhop;
let path: string;
beforeAll(async () => {
  bellhop = await startBellhop();
  const webhook = await createWebhookWorkflow(bellhop, {
    nodes: [{ id: "long", type: "delay", seconds: 3_600 }],
    edges: [],
  });
  path = `/executions/${await acceptedId(await webhook.ring({}))}/events`;
});
afterAll(() => bellhop.stop());

const tokenOf = async (browser: Browser, more: { expiresAt?: string } = {}) => {
  const { secret, token } = await createToken(browser, { permissions: ["automation:read"], ...more });
  return { id: token.id, credentials: { Authorization: `Bearer ${secret}` } };
};
const cookieOf = ({ cookies }: Browser) => ({
  Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
});
/** A stream of one execution and one of all, each after its first event. */
const follow = async (credentials: Record<string, string>) => {
  const readers = await Promise.all(
    [path, "/executions/events"].map((one) => EventReader.open(bellhop, one, null, credentials)),
  );
  for (const reader of readers) expect(await reader.next()).not.toBeNull();
  return readers;
};
const endsOf = async (readers: readonly EventReader[]) =>
  (await Promise.all(readers.map((reader) => reader.until()))).map((events) => events.map(({ event }) => event));

test("streams end with a deleted token, a logout and a disabled user, and continue for others", async () => {
  const owner = await signedIn(bellhop, await createUser(bellhop));
  const leaver = await signedIn(bellhop, await createUser(bellhop));
  const user = await createUser(bellhop);
  const disabled = await signedIn(bellhop, user);
  const stays = await signedIn(bellhop, await createUser(bellhop));
  const token = await tokenOf(owner);
  const streams = await Promise.all([token.credentials, cookieOf(leaver), cookieOf(disabled)].map(follow));
  const others = await follow(cookieOf(stays));
  const next = Promise.race(others.map((reader) => reader.next())).catch(() => "dropped");
  expect((await owner.call("DELETE", `${AUTH}/tokens/${token.id}`)).status).toBe(200);
  expect((await leaver.call("POST", `${AUTH}/logout`)).status).toBeLessThan(300);
  expect((await bellhop.api("PATCH", `/api/v1/automation/users/${user.id}`, { enabled: false })).status).toBe(200);
  for (const ended of await Promise.all(streams.map(endsOf))) expect(ended).toEqual([["reconnect"], ["reconnect"]]);
  await eventually("heartbeats", () => others.every(({ comments }) => comments.length > 0));
  expect(await Promise.race([next, "it goes on"])).toBe("it goes on");
});

test("a stream ends when its token expires", async () => {
  const owner = await signedIn(bellhop, await createUser(bellhop));
  const { credentials } = await tokenOf(owner, { expiresAt: new Date(Date.now() + 2_000).toISOString() });
  expect(await endsOf(await follow(credentials))).toEqual([["reconnect"], ["reconnect"]]);
});
