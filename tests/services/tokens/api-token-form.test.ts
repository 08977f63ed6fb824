import { expect, test } from "bun:test";
import { apiTokenSchema } from "../../../schema/contract/people.ts";
import { checkApiToken, mintAgentKey, mintApiToken } from "../../../worker/services/keys.ts";

const SECRET = "a-server-secret-of-more-than-32-characters";

test("API tokens have their own format and carry their tag", () => {
  const token = mintApiToken(SECRET);
  expect(apiTokenSchema.safeParse(token).success).toBe(true);
  expect(checkApiToken(SECRET, token)).toBe(true);
  expect(new Set(Array.from({ length: 200 }, () => mintApiToken(SECRET))).size).toBe(200);
});

test("a guess is refused without a database query: another end, deployment, form or kind of key", () => {
  const token = mintApiToken(SECRET);
  const altered = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A");
  const agentSecret = mintAgentKey(SECRET).key.split("_")[1] ?? "";
  for (const guess of [
    altered,
    `${token}x`,
    token.slice(0, -1),
    `bht_${agentSecret}`,
    token.replace("bht", "bhx"),
    "",
  ]) {
    expect(checkApiToken(SECRET, guess)).toBe(false);
  }
  expect(checkApiToken("another-server-secret-of-over-32-characters", token)).toBe(false);
});
