import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { documentOf } from "../../agent/executors/ticketing/document.ts";
import { documentProblems } from "../support/atlassian-document.ts";

const text = (content: string) => ({ type: "text", text: content });
const paragraph = (...content: unknown[]) => ({ type: "paragraph", content });
const item = (content: string) => ({ type: "listItem", content: [paragraph(text(content))] });
const link = (href: string) => ({ type: "text", text: href, marks: [{ type: "link", attrs: { href } }] });

describe("a text as a Jira document", () => {
  const cases: [string, string, unknown[]][] = [
    ["one line", "Disk full", [paragraph(text("Disk full"))]],
    ["nothing", "", []],
    [
      "line breaks",
      "a\r\nb\nc",
      [paragraph(text("a"), { type: "hardBreak" }, text("b"), { type: "hardBreak" }, text("c"))],
    ],
    ["paragraphs", "a\n\n\n b ", [paragraph(text("a")), paragraph(text(" b "))]],
    [
      "points",
      "do:\n- one\n* two\n\nend",
      [paragraph(text("do:")), { type: "bulletList", content: [item("one"), item("two")] }, paragraph(text("end"))],
    ],
    ["numbers", "3. c\n4. d", [{ type: "orderedList", attrs: { order: 3 }, content: [item("c"), item("d")] }]],
    ["numbers that are not consecutive", "1. a\n3. b", [paragraph(text("1. a"), { type: "hardBreak" }, text("3. b"))]],
    ["a single number", "2026. It was late.", [paragraph(text("2026. It was late."))]],
    [
      "code",
      '```json\n{\n  "a": 1\n}\n```',
      [{ type: "codeBlock", attrs: { language: "json" }, content: [text('{\n  "a": 1\n}')] }],
    ],
    ["empty code", "```\n```", [{ type: "codeBlock", content: [] }]],
    [
      "code fences with spaces around them",
      " ``` js \nx\n  ``` ",
      [{ type: "codeBlock", attrs: { language: "js" }, content: [text("x")] }],
    ],
    [
      "code after code",
      "```\na\n```\n```b\nc\n```\n```",
      [
        { type: "codeBlock", content: [text("a")] },
        { type: "codeBlock", attrs: { language: "b" }, content: [text("c")] },
        paragraph(text("```")),
      ],
    ],
    ["code without an end", "```\nx", [paragraph(text("```"), { type: "hardBreak" }, text("x"))]],
    [
      "an address",
      "see https://a.example/x?y=1.",
      [paragraph(text("see "), link("https://a.example/x?y=1"), text("."))],
    ],
    ["an address in brackets", "(https://a.example)", [paragraph(text("("), link("https://a.example"), text(")"))]],
    ["text that only looks like an address", "https://", [paragraph(text("https://"))]],
    ["colors and control characters", "\u001b[31mred\u001b[0m\u0000\u0007\tx", [paragraph(text("red\tx"))]],
    [
      "a minus that starts no list item",
      "-1 is less\n-",
      [paragraph(text("-1 is less"), { type: "hardBreak" }, text("-"))],
    ],
    ["half a surrogate pair", "a\ud83d", [paragraph(text("a\ufffd"))]],
  ];
  test.each(cases)("keeps %s", (_name, given, content) => {
    const document = documentOf(given);
    expect(document).toEqual(JSON.parse(JSON.stringify({ type: "doc", version: 1, content })));
    expect(documentProblems(document)).toEqual([]);
  });

  test("is valid for any text", () => {
    const parts = [
      "- ",
      "1. ",
      "2. ",
      "```",
      "\n",
      "\n\n",
      "https://x.example/",
      "a",
      " ",
      "\t",
      "\u001b[1m",
      "*",
      "🔥",
      ")",
    ];
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let round = 0; round < 2_000; round += 1) {
      const given = Array.from({ length: next(25) }, () => parts[next(parts.length)] ?? "").join("");
      expect({ given, problems: documentProblems(documentOf(given)) }).toEqual({ given, problems: [] });
    }
  });

  test("of a million characters is built in time", () => {
    expect(documentProblems(documentOf("- x\n1. https://a.example ".repeat(40_000)))).toEqual([]);
  });

  test.each([
    ["fences that are never closed", "```x\n", ""],
    ["fences that are closed immediately", "```\n", ""],
    ["one line that only begins as a fence", " ", "```|!"],
    ["one line of blanks before an invalid fence", " ", "|```!"],
    ["list items of spaces", " ", "- |"],
    ["an address of dots", ".", "https://|"],
  ])("of one MiB of %s is built in time", (_name, part, around) => {
    const [before, behind] = around.split("|");
    // A separate process, because an endless loop can be ended from outside only.
    const program = `
      const { documentOf } = await import(${JSON.stringify(join(import.meta.dir, "../../agent/executors/ticketing/document.ts"))});
      const [before, part, behind] = ${JSON.stringify([before, part, behind ?? ""])};
      const text = before + part.repeat(Math.floor(1_048_576 / part.length)) + behind;
      console.log(documentOf(text).type);`;
    const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { timeout: 20_000, stderr: "inherit" });
    expect(stdout.toString().trim()).toBe("doc");
  });
});
