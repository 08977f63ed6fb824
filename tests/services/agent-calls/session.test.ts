import { expect, test } from "bun:test";
import { registerResponseSchema } from "../../../schema/contract/agent.ts";
import { keyDigestOf } from "../../../worker/services/agent-calls/key-digest.ts";
import { keyFingerprint } from "../../../worker/services/key-fingerprint.ts";
import { signValue } from "../../../worker/services/signed-value.ts";
import { openSession, signSession, vouchFor, vouchedEpoch } from "../../../worker/services/agent-calls/session.ts";

const SECRET = "a-server-secret-of-enough-characters-0123";
const MINUTE_MS = 60_000;
const KEY_DIGEST = keyDigestOf(SECRET, "bh0123456789_secret");
const SESSION = {
  poolObject: "pool:web",
  agentId: "agt_1",
  instanceId: "instance-1",
  verified: { keyDigest: KEY_DIGEST, epoch: 3, until: 1_000 },
};

test("a session opens with the secret that signed it", () => {
  expect(openSession(SECRET, signSession(SECRET, SESSION))).toEqual(SESSION);
});

test("a session vouches for the key that it was issued for, and for no other", () => {
  expect(vouchedEpoch(SESSION, KEY_DIGEST, 0)).toBe(3);
  expect(vouchedEpoch(SESSION, keyDigestOf(SECRET, "bh0123456789_other"), 0)).toBeNull();
  expect(vouchedEpoch(SESSION, keyDigestOf(`${SECRET}-other`, "bh0123456789_secret"), 0)).toBeNull();
  expect(vouchedEpoch(SESSION, "", 0)).toBeNull();
  expect(vouchedEpoch({ ...SESSION, verified: null }, KEY_DIGEST, 0)).toBeNull();
});

test("a session vouches for half an hour to an hour, spread over all agents", () => {
  const ends = Array.from({ length: 200 }, (_, n) => vouchFor(keyDigestOf(SECRET, `key ${n}`), 1, 0)?.until ?? 0);
  expect(Math.min(...ends)).toBeGreaterThanOrEqual(30 * MINUTE_MS);
  expect(Math.max(...ends)).toBeLessThan(60 * MINUTE_MS);
  // Some end in each of the thirty minutes, and not many in any one.
  const perMinute = Map.groupBy(ends, (end) => Math.floor(end / MINUTE_MS));
  expect(Math.max(...[...perMinute.values()].map((some) => some.length))).toBeLessThan(30);
  const session = { ...SESSION, verified: vouchFor(KEY_DIGEST, 3, 0) };
  const until = session.verified?.until ?? 0;
  expect(vouchedEpoch(session, KEY_DIGEST, until - 1)).toBe(3);
  expect(vouchedEpoch(session, KEY_DIGEST, until)).toBeNull();
});

test("a session does not reveal its key", () => {
  const body = Buffer.from(signSession(SECRET, SESSION).split(".")[0] ?? "", "base64url").toString();
  expect(body).not.toContain("secret");
  expect(body).not.toContain("bh0123456789");
});

test("a session from before sessions vouched for keys still opens", () => {
  const { verified: _verified, ...older } = SESSION;
  const body = Buffer.from(JSON.stringify(older)).toString("base64url");
  expect(openSession(SECRET, signValue(SECRET, "agent-session", body))).toEqual({ ...SESSION, verified: null });
});

test("a session that was changed, cut, or signed by another deployment does not open", () => {
  const signed = signSession(SECRET, SESSION);
  const [body = "", signature = ""] = signed.split(".");
  const forged = (changes: object) => Buffer.from(JSON.stringify({ ...SESSION, ...changes })).toString("base64url");
  const elsewhere = `${forged({ poolObject: "pool:other" })}.${signature}`;
  const newer = `${forged({ verified: { ...SESSION.verified, epoch: 4 } })}.${signature}`;
  const damaged = ["", ".", body, elsewhere, newer, `${body}.${signature}x`, `${body}.`, `x${signed}`, "ä.ö"];
  for (const text of damaged) expect(openSession(SECRET, text)).toBeNull();
  expect(openSession(`${SECRET}-other`, signed)).toBeNull();
  expect(openSession(SECRET, signValue(SECRET, "other", body))).toBeNull();
});

test("the longest possible session fits the contract", () => {
  const poolObject = `pool:${"p".repeat(63)}`;
  const longest = {
    poolObject,
    agentId: "a".repeat(64),
    instanceId: "i".repeat(64),
    verified: { keyDigest: KEY_DIGEST, epoch: Number.MAX_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER },
  };
  const session = signSession(SECRET, longest);
  const answer = { agentId: "agt_1", poolId: null, enabled: true, session };
  expect(registerResponseSchema.parse(answer).session).toBe(session);
});

test("a fingerprint is the SHA-256 of the key's required members in RFC 7638's order, in any input order", async () => {
  const { publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", publicKey);
  const canonical = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical));
  expect(keyFingerprint({ y, x, kty: "EC", crv: "P-256" })).toBe(Buffer.from(digest).toString("base64url"));
});
