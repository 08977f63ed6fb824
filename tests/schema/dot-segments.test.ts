import { expect, test } from "bun:test";
import { dotSegmentsIn } from "../../schema/contract/dot-segments.ts";

test.each([
  ["plain", "a/../b"],
  ["one dot", "./a"],
  ["an escape", "%2e%2E/a"],
  ["half an escape", ".%2e/a"],
  ["an encoded slash", "..%2fa"],
  ["an encoded backslash", "..%5ca"],
  ["a backslash", "a\\..\\b"],
  ["encoded twice", "%252e%252e%252fa"],
  ["encoded three times", "%25252e%25252e/a"],
  ["each letter of the escape encoded", "%25%32%65%25%32%65/a"],
  ["the digits of the escape encoded", "%%32%65%%32%65/a"],
  ["a parameter", "..;v=1/a"],
  ["an encoded parameter", "..%3Bv/a"],
  ["a NUL", "..%00/a"],
  ["an encoded question mark", "..%3fa"],
  ["an encoded number sign", "..%23a"],
  ["a space after it", "..%20/a"],
  ["a space and a dot after it", "..%20./a"],
  ["a vertical tab after it", "..%0b/a"],
  ["a line break within", ".%0a./a"],
  ["a tab within", ".%09./a"],
  ["overlong UTF-8 of two bytes", "%c0%ae%c0%ae%c0%afa"],
  ["overlong UTF-8 of three bytes", "%e0%80%ae%e0%80%ae%e0%80%afa"],
  ["an overlong backslash", "..%c1%9ca"],
  ["overlong UTF-8 encoded twice", "%25c0%25ae./a"],
  ["the escapes of IIS", "%u002e%u002e%u002fa"],
  ["full-width letters", "\uff0e\uff0e\uff0fa"],
  ["a sign of two dots", "\u2025/a"],
  ["a sign of two dots, encoded", "%e2%80%a5/a"],
  ["small dots, encoded", "%ef%b9%92%ef%b9%92/a"],
  ["a small backslash, encoded", "..%ef%b9%a8a"],
  ["the escapes of IIS for full-width letters", "%uff0e%uff0e%uff0fa"],
  ["full-width letters, encoded", "%ef%bc%8e%EF%BC%8E%ef%bc%8fa"],
])("a path has dots as a segment: %s", (_what, path) => {
  expect(dotSegmentsIn(path)).toBe(1);
});

test.each(["a/b", "...", "a..b/c", "..a", "v1.2", "a%2fb", "%", "%zz", "100%25", "a;..b", "..%c3%a4", "\u2026", ""])(
  "a path has no dot segment: %p",
  (path) => {
    expect(dotSegmentsIn(path)).toBe(0);
  },
);

test("a path whose every decoding leaves another escape is decoded a limited number of times", () => {
  expect(dotSegmentsIn(`%2${"%3".repeat(100_000)}5`)).toBe(0);
});
