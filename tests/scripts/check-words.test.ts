import { expect, test } from "bun:test";
import { idiomsIn } from "../../scripts/check-words.ts";

test("an idiom is found with its line, in any case, and plain words are not", () => {
  const text =
    "/** Tells nothing. */\nconst teller = 1;\n// Stands here, in a process of its own.\n// It understands and amends.";
  expect(idiomsIn(text)).toEqual([
    '1 "Tells" is hard to read. Write: report, notify, say, show.',
    '3 "Stands" is hard to read. Write: be, be in, be at.',
    '3 "of its own" is hard to read. Write: its own …, separate, by itself.',
  ]);
});
