import { describe, expect, test } from "bun:test";
import { contrast, paletteColor } from "../../console/views/executions/output/color.ts";
import type { Rgb } from "../../console/views/executions/output/color.ts";
import { findAll } from "../../console/views/executions/output/find.ts";
import {
  describedValue,
  quotedText,
  shownEntries,
  treeOf,
} from "../../console/views/executions/output/json-entries.ts";
import { cssOf } from "../../console/views/executions/output/styles.ts";
import { PLAIN, styleAfter } from "../../console/views/executions/output/terminal-style.ts";
import type { TerminalStyle } from "../../console/views/executions/output/terminal-style.ts";
import { styledPieces, terminalText } from "../../console/views/executions/output/terminal-text.ts";

const ESC = "\u001B";

describe("a terminal style", () => {
  test.each<[string, Partial<TerminalStyle>]>([
    ["", {}],
    ["0", {}],
    ["1", { bold: true }],
    ["1;31", { bold: true, color: [205, 0, 0] }],
    ["31;0", {}],
    ["31;39", {}],
    ["42", { background: [0, 205, 0] }],
    ["97;100", { color: [255, 255, 255], background: [127, 127, 127] }],
    ["38;5;208", { color: [255, 135, 0] }],
    ["38;5;244", { color: [128, 128, 128] }],
    ["48;2;1;2;3", { background: [1, 2, 3] }],
    ["38:2::10:20:30", { color: [10, 20, 30] }],
    ["38:2:10:20:30;1", { color: [10, 20, 30], bold: true }],
    ["38:5:9", { color: [255, 0, 0] }],
    ["4:3", { underlined: true }],
    ["4;4:0", {}],
    ["2;3;7;9", { faint: true, italic: true, inverse: true, struck: true }],
    ["1;2;22;23", {}],
    ["38;5;999", {}],
    ["38;2;300;0;0", {}],
    ["38", {}],
    ["38;7;1", { bold: true, inverse: true }],
    ["8", {}],
    ["5;999;73", {}],
    ["?25", {}],
  ])("follows the codes %j", (codes, style) => {
    expect(styleAfter(PLAIN, codes)).toEqual({ ...PLAIN, ...style });
  });

  test("is PLAIN itself when no style is left", () => {
    expect(styleAfter(styleAfter(PLAIN, "1;31"), "22;39")).toBe(PLAIN);
  });
});

describe("a text with terminal sequences", () => {
  test("has its colours as spans of the text without them, over line breaks", () => {
    const { text, spans } = terminalText(`plain ${ESC}[31mred\nstill${ESC}[1m bold${ESC}[0m end`);
    expect(text).toBe("plain red\nstill bold end");
    expect(spans.map(({ from, to, style }) => [text.slice(from, to), style.color, style.bold])).toEqual([
      ["red\nstill", [205, 0, 0], false],
      [" bold", [205, 0, 0], true],
    ]);
  });

  test.each([
    ["a title of the window", `${ESC}]0;title\u0007text`, "␛]0;title␇text"],
    ["a link", `${ESC}]8;;https://example.com${ESC}\\text`, "␛]8;;https://example.com␛\\text"],
    ["cursor moves and cleared lines", `a${ESC}[2K${ESC}[1Gb${ESC}[?25l`, "ab"],
    ["markup", `${ESC}[31m<img src=x onerror=alert(1)>`, "<img src=x onerror=alert(1)>"],
    ["a broken sequence", `${ESC}[31`, "␛[31"],
  ])("shows %s without effect", (_, raw, shown) => {
    expect(terminalText(raw).text).toBe(shown);
  });

  test("can be shown in part, with the colour from before", () => {
    const shown = terminalText(`one ${ESC}[31mtwo three${ESC}[0m four`);
    expect(styledPieces(shown, 6, 16).map(({ text, style }) => [text, style.color])).toEqual([
      ["o three", [205, 0, 0]],
      [" fo", null],
    ]);
    expect(styledPieces(shown, 0, 0)).toEqual([]);
  });

  test("with a colour for each of many characters is read at once", () => {
    const { text, spans } = terminalText(`${ESC}[31mx${ESC}[0m`.repeat(100_000));
    expect([text.length, spans.length]).toEqual([100_000, 100_000]);
    // Outside the viewer it has no colours then, because each piece would be an element.
    expect(styledPieces({ text, spans }, 0, 16_000)).toHaveLength(1);
  });
});

const BACKGROUNDS = {
  light: [
    [255, 255, 255],
    [241, 243, 245],
  ],
  dark: [
    [36, 36, 36],
    [59, 59, 59],
  ],
} as const;

test.each(["light", "dark"] as const)("every colour of a terminal is readable in the %s theme", (scheme) => {
  const indexes = Array.from({ length: 256 }, (_, index) => index);
  const colorOf = (style: Partial<TerminalStyle>) => cssOf({ ...PLAIN, ...style }, scheme === "dark");
  for (const index of indexes) {
    const color = paletteColor(index);
    for (const style of [{ color }, { color, faint: true }]) {
      const shown = rgbOf(colorOf(style)?.color);
      for (const behind of BACKGROUNDS[scheme]) expect(contrast(shown, behind)).toBeGreaterThan(4.5);
    }
    for (const style of [
      { background: color },
      { color, inverse: true },
      { color, background: paletteColor(255 - index) },
    ]) {
      const css = colorOf(style);
      expect(contrast(rgbOf(css?.color), rgbOf(css?.backgroundColor))).toBeGreaterThan(4.5);
    }
  }
});

function rgbOf(hex: string | undefined): Rgb {
  const [red = 0, green = 0, blue = 0] =
    (hex ?? "").match(/[\da-f]{2}/gu)?.map((part) => Number.parseInt(part, 16)) ?? [];
  return [red, green, blue];
}

test.each([
  ["", "text", []],
  ["abcabc", "bc", [1, 4]],
  ["ERROR error Error", "error", [0, 6, 12]],
  ["aaaa", "aa", [0, 2]],
  ["a.b a+b [x] (y) \\d", "a.b", [0]],
  ["a.b a+b [x] (y) \\d", "[x] (", [8]],
  ["a.b a+b [x] (y) \\d", "\\d", [16]],
  ["one\ntwo", "e\nt", [2]],
  ["größer GRÖSSER GRÖßER", "größer", [0, 15]],
  ["😀 😀", "😀", [0, 3]],
])("search in %j for %j finds its places", (text, wanted, places) => {
  expect(findAll(text, wanted).map(({ from }) => from)).toEqual(places);
});

describe("JSON as a tree", () => {
  test("exists for objects and arrays with members only", () => {
    expect(["{", "1", '"text"', "null", "{}", "[]", "plain"].map(treeOf)).toEqual(
      Array.from({ length: 7 }, () => null),
    );
    expect(treeOf('{"a": [1]}')).toEqual({ a: [1] });
  });

  test("keeps a backslash before an n, and breaks lines only where the text does", () => {
    expect(quotedText('C:\\new\n"x"')).toBe('"C:\\\\new\n\\"x\\""');
  });

  test("says how many members a value has, and shows 100 more at a time", () => {
    expect([describedValue([1]), describedValue([1, 2]), describedValue({ a: 1 })]).toEqual([
      "[1 item]",
      "[2 items]",
      "{1 field}",
    ]);
    expect([shownEntries(0), shownEntries(100)]).toEqual([100, 200]);
  });
});
