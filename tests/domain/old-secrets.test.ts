import { expect, test } from "bun:test";
import { lastUntil, validOldSecrets } from "../../worker/domain/old-secrets.ts";
import type { StoredOldSecrets } from "../../worker/domain/old-secrets.ts";

const old = (secretHash: string, until: number) => ({ secretHash, until });

test.each<[StoredOldSecrets, string[], number | null]>([
  [null, [], null],
  [undefined, [], null],
  [[], [], null],
  [old("a", 1_001), ["a"], 1_001],
  [old("a", 1_000), [], null],
  [[old("b", 2_000), old("a", 3_000)], ["b", "a"], 3_000],
  [[old("b", 2_000), old("a", 999)], ["b"], 2_000],
])("of %j these are valid at 1 s: %p, until %p", (stored, hashes, until) => {
  const valid = validOldSecrets(stored, 1_000);
  expect(valid.map(({ secretHash }) => secretHash)).toEqual(hashes);
  expect(lastUntil(valid)).toBe(until);
});
