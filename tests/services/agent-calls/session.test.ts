import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { registerResponseSchema } from "../../../schema/contract/agent.ts";
import { keyFingerprint } from "../../../worker/services/agent-calls/key-fingerprint.ts";
import { openSession, sealSession } from "../../../worker/services/agent-calls/session.ts";

const SECRET = "a-server-secret-of-enough-characters-0123";
const SESSION = { poolObject: "pool:web", shard: "pool:web/1", agentId: "agt_1", instanceId: "instance-1" };

test("a session opens with the secret that sealed it", () => {
  expect(openSession(SECRET, sealSession(SECRET, SESSION))).toEqual(SESSION);
});

test("a session of before there were shards goes to the Pool itself", () => {
  const { shard: _, ...older } = SESSION;
  const body = Buffer.from(JSON.stringify(older)).toString("base64url");
  const signature = createHmac("sha256", SECRET).update(`agent-session\n${body}`).digest("base64url");
  expect(openSession(SECRET, `${body}.${signature}`)).toEqual({ ...SESSION, shard: null });
});

test("a session that was changed, cut, or sealed by another deployment does not open", () => {
  const sealed = sealSession(SECRET, SESSION);
  const [body = "", signature = ""] = sealed.split(".");
  const forged = Buffer.from(JSON.stringify({ ...SESSION, poolObject: "pool:other" })).toString("base64url");
  const damaged = ["", ".", body, `${forged}.${signature}`, `${body}.${signature}x`, `${body}.`, `x${sealed}`, "ä.ö"];
  for (const text of damaged) expect(openSession(SECRET, text)).toBeNull();
  expect(openSession(`${SECRET}-other`, sealed)).toBeNull();
});

test("the longest session that there can be fits the contract", () => {
  const poolObject = `pool:${"p".repeat(63)}`;
  const longest = { poolObject, shard: `${poolObject}/999999`, agentId: "a".repeat(64), instanceId: "i".repeat(64) };
  const session = sealSession(SECRET, longest);
  const answer = { agentId: "agt_1", poolId: null, enabled: true, session };
  expect(registerResponseSchema.parse(answer).session).toBe(session);
});

test("a fingerprint is the SHA-256 of the key's required members in RFC 7638's order, whatever order they came in", async () => {
  const { publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", publicKey);
  const canonical = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical));
  expect(keyFingerprint({ y, x, kty: "EC", crv: "P-256" })).toBe(Buffer.from(digest).toString("base64url"));
});
