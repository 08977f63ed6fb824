import { expect, test } from "bun:test";
import { hashKey, keyMatches } from "../../worker/services/integrations/key-hash.ts";
import { checkIntegrationKey, mintAgentKey, mintIntegrationKey } from "../../worker/services/keys.ts";

const SECRET = "a-server-secret-of-more-than-32-characters";
const altered = (text: string) => text.slice(0, -1) + (text.endsWith("A") ? "B" : "A");

test("an integration's key matches its format, and its prefix can be read from it", () => {
  const { prefix, key } = mintIntegrationKey(SECRET);
  expect(key).toMatch(/^itg[A-Za-z0-9]{10}_[A-Za-z0-9]{43}$/u);
  expect(key.startsWith(`${prefix}_`)).toBe(true);
  expect(checkIntegrationKey(SECRET, key)).toEqual({ prefix });
});

test("a guess is refused: other prefix, other secret, other deployment, other key's secret, other form, other kind", () => {
  const { prefix, key } = mintIntegrationKey(SECRET);
  const other = mintIntegrationKey(SECRET);
  const guesses = [
    `${altered(prefix)}_${key.slice(prefix.length + 1)}`,
    altered(key),
    `${prefix}_${other.key.slice(other.prefix.length + 1)}`,
    mintIntegrationKey("another-server-secret-of-over-32-characters").key,
    mintAgentKey(SECRET).key,
    mintAgentKey(SECRET).key.replace(/^bh/u, "itg"),
    "",
    `${key}x`,
  ];
  for (const guess of guesses) expect(checkIntegrationKey(SECRET, guess)).toBeNull();
});

test("a stored hash matches only its own key, and does not contain it", () => {
  const { key } = mintIntegrationKey(SECRET);
  const hash = hashKey(key);
  expect(keyMatches(key, hash)).toBe(true);
  expect(keyMatches(mintIntegrationKey(SECRET).key, hash)).toBe(false);
  expect(hash).toMatch(/^[0-9a-f]{64}$/u);
});
