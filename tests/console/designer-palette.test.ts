import { describe, expect, test } from "bun:test";
import { PALETTE, searchPalette } from "../../console/views/designer/palette/items.ts";

describe("the search for a step", () => {
  test("offers what has the searched name before what only belongs to a group that names it", () => {
    const first = (search: string) => searchPalette(search)[0]?.items[0]?.label;
    expect(["python", "powershell", "redis", "for each"].map(first)).toEqual([
      "Python script",
      "PowerShell script",
      "Get a key",
      "For each",
    ]);
    // The other types of script stay below it, since the text of their group names Python.
    expect(searchPalette("python").flatMap(({ items }) => items.map(({ label }) => label))).toEqual([
      "Python script",
      "Bash script",
      "PowerShell script",
    ]);
    expect(searchPalette("")).toEqual([...PALETTE]);
    expect(searchPalette("nothing like it")).toEqual([]);
  });
});
