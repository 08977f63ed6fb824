import { expect, test } from "bun:test";
import { AgentKeyCache } from "../../../worker/services/agent-calls/agent-key-cache.ts";

const MINUTE_MS = 60_000;
const AGENT = { agentId: "agt_1", epoch: 3 };

test("a verified key is remembered for five minutes from its verification, however often it is used", () => {
  const cache = new AgentKeyCache();
  cache.set("digest", AGENT, 0);
  for (let minute = 0; minute < 5; minute += 1) expect(cache.get("digest", minute * MINUTE_MS)).toEqual(AGENT);
  expect(cache.get("digest", 5 * MINUTE_MS - 1)).toEqual(AGENT);
  expect(cache.get("digest", 5 * MINUTE_MS)).toBeUndefined();
  expect(cache.size).toBe(0);
});

test("a thousand keys are remembered; the least recently used one is dropped first", () => {
  const cache = new AgentKeyCache();
  for (let n = 0; n < 1_000; n += 1) cache.set(`digest-${n}`, AGENT, 0);
  cache.get("digest-0", 1);
  cache.set("one more", AGENT, 2);
  expect(cache.size).toBe(1_000);
  expect(cache.get("digest-0", 3)).toEqual(AGENT);
  expect(cache.get("digest-1", 3)).toBeUndefined();
  expect(cache.get("one more", 3)).toEqual(AGENT);
});

test("verifying a key again takes no second slot", () => {
  const cache = new AgentKeyCache(2);
  cache.set("a", AGENT, 0);
  cache.set("b", AGENT, 0);
  cache.set("b", { ...AGENT, epoch: 4 }, 1);
  expect(cache.get("a", 2)).toEqual(AGENT);
  expect(cache.get("b", 2)?.epoch).toBe(4);
});

test("a refused key is refused from memory for ten seconds only: it may have been copied to a replica late", () => {
  const cache = new AgentKeyCache();
  cache.set("digest", null, 0);
  expect(cache.get("digest", 9_999)).toBeNull();
  expect(cache.get("digest", 10_000)).toBeUndefined();
});
