import { describe, expect, test } from "bun:test";
import { comparePasted, groupsOf } from "../../console/views/connections/credential/pasted-fingerprint.ts";

const own = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
const other = `${own.slice(0, -1)}V`;

describe("a pasted fingerprint", () => {
  test.each([
    ["", "nothing"],
    [`  ${own}\n`, "same"],
    [`ok vault opens; 2 credentials; fingerprint ${own}`, "same"],
    [groupsOf(own).join(" "), "same"],
    [other, "other"],
    [`${own} ${other}`, "other"],
    [own.slice(0, 20), "incomplete"],
    [`${own}A`, "incomplete"],
  ] as const)("%p is %s", (text, expected) => {
    expect(comparePasted(text, own)).toBe(expected);
  });

  test("is shown in groups of four", () => {
    expect(groupsOf("abcdefghij")).toEqual(["abcd", "efgh", "ij"]);
  });
});
