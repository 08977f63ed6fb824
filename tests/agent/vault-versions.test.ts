import { expect, test } from "bun:test";
import { noContents } from "../../agent/vault/entries.ts";
import type { Contents } from "../../agent/vault/entries.ts";
import { noteWithdrawn, unlessDeliverable, unlessWithdrawable } from "../../agent/vault/versions.ts";

/** A vault with this version of con_1, and with this removed version; null: without. */
function contentsOf(held: number | null, gone: number | null): Contents {
  const contents = noContents();
  const entry = { connectionId: "con_1", updatedAt: "2026-11-21T10:00:00.000Z", nonce: "", ciphertext: "" };
  const content = { secrets: { a: "b" }, bound: null };
  if (held !== null) contents.credentials.set("con_1", { stored: { ...entry, version: held }, ...content });
  if (gone !== null) contents.withdrawn.set("con_1", gone);
  return contents;
}

const present = (version: number) => ({ state: "present" as const, version });
const absent = (version: number) => ({ state: "absent" as const, version });

// The version in the vault, the removed version, and the state that is reported instead of delivering or removing
// version 5; null: version 5 is delivered or removed.
const cases: [
  number | null,
  number | null,
  ReturnType<typeof unlessDeliverable>,
  ReturnType<typeof unlessWithdrawable>,
][] = [
  [null, null, null, null],
  [0, null, null, null],
  [4, null, null, null],
  [5, null, present(5), null],
  [6, null, present(6), present(6)],
  [null, 4, null, null],
  [null, 5, absent(5), absent(5)],
  [null, 6, absent(6), absent(6)],
  // A local credential after a removal: an old delivery does not replace it, but the old removal removes it.
  [0, 5, present(0), null],
  [6, 4, present(6), present(6)],
];
test.each(cases)("version 5 with version %p in the vault and %p removed", (held, gone, delivered, withdrawn) => {
  expect(unlessDeliverable(contentsOf(held, gone), "con_1", 5)).toEqual(delivered);
  expect(unlessWithdrawable(contentsOf(held, gone), "con_1", 5)).toEqual(withdrawn);
  expect(unlessDeliverable(contentsOf(held, gone), "con_2", 5)).toBeNull();
});

test("the newest removed version of each connection is remembered, for the last thousand connections", () => {
  const withdrawn = new Map<string, number>();
  noteWithdrawn(withdrawn, "con_first", 7);
  for (let index = 0; index < 999; index++) noteWithdrawn(withdrawn, `con_${index}`, 1);
  noteWithdrawn(withdrawn, "con_first", 3);
  noteWithdrawn(withdrawn, "con_last", 2);
  expect(withdrawn.size).toBe(1_000);
  expect(withdrawn.get("con_first")).toBe(7);
  expect(withdrawn.has("con_0")).toBe(false);
  expect(withdrawn.get("con_last")).toBe(2);
});
