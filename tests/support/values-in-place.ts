import fc from "fast-check";
import type { JsonValue } from "../../schema/contract/json.ts";
import { HOSTILE_VALUES } from "./hostile-values.ts";
import { plainWord } from "./plain-words.ts";

/** Characters that no plain word has: quotes, blanks, operators, controls, and characters that only look plain. */
const OTHER_CHARACTERS = [
  ..." !\"#$%&'()*+,;<=>?@[\\]^`{|}~\t\n\r\u0000\u0001\u001b\u007f\u00a0\u00e9\u2028\u200b\ufeff\u0301\u202e",
  ..."１ａ‐–／：．аА\u{1f4a5}",
];

/** A plain word with one forbidden character. */
const nearlyPlain = fc
  .tuple(plainWord, fc.constantFrom(...OTHER_CHARACTERS), fc.nat(40))
  .map(([word, other, at]) => word.slice(0, at % (word.length + 1)) + other + word.slice(at % (word.length + 1)));

/** Any text other than a plain word: hostile, random, nearly plain, and plain except for its shape. */
export const notPlain = fc.oneof(
  nearlyPlain,
  fc.constantFrom(...Object.values(HOSTILE_VALUES).filter((value) => !/^[A-Za-z0-9_-]{0,9}$/u.test(value))),
  fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).filter((text) => /[^A-Za-z0-9_.:/-]/u.test(text)),
  fc.constantFrom("a//b", "http://x", "a:/b", "..", ".", "a/..", "../a", "a/./b", "a:..", "x".repeat(257)),
);

/** Any value that a webhook may send, mostly plain words. */
export const anyValue: fc.Arbitrary<JsonValue> = fc.oneof<fc.MaybeWeightedArbitrary<JsonValue>[]>(
  { weight: 4, arbitrary: plainWord },
  { weight: 3, arbitrary: notPlain },
  {
    weight: 1,
    arbitrary: fc.constantFrom("-5", "-rf", ".hidden", "5", "2.75", "0.0000001", "true", "false", "007", ""),
  },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null)) },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>([], ["a"], {}, { a: 1 }) },
);
