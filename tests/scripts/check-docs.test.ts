import { describe, expect, test } from "bun:test";
import { decisionProblems } from "../../scripts/check-docs.ts";

const TITLE = "# 0023: Words are plain";
const decision = (...labels: string[]) => [TITLE, ...labels.map((label) => `**${label}.** Text.`)].join("\n\n");
const problemsOf = (text: string) => decisionProblems("0023-words.md", text).length;

describe("the sections of a decision", () => {
  test.each([
    [["Decision", "Why", "Consequences"]],
    [["Context", "Decision", "Why", "Consequences"]],
    [["Decision", "Why", "Consequences", "Measured"]],
    [["Context", "Decision", "Why", "Consequences", "Measured"]],
  ])("%j are accepted", (labels) => {
    expect(problemsOf(decision(...labels))).toBe(0);
  });

  test.each([
    [["Why", "Consequences"]],
    [["Decision", "Why"]],
    [["Why", "Decision", "Consequences"]],
    [["Decision", "Why", "Why", "Consequences"]],
    [["Decision", "Why", "Price", "Consequences"]],
    [["Decision", "Why", "Consequences", "Measured", "Kept"]],
  ])("%j are a problem", (labels) => {
    expect(problemsOf(decision(...labels))).toBe(1);
  });

  test("a heading or a bold start of a paragraph is a problem, a bold word in a sentence is none", () => {
    const good = decision("Decision", "Why", "Consequences");
    expect(problemsOf(`${good}\n\n## Price\n`)).toBe(1);
    expect(problemsOf(`${good}\n\n**The page** is static.\n`)).toBe(1);
    expect(problemsOf(`${good} It is **one** page.\n`)).toBe(0);
  });
});

test.each(["# 0022: Words are plain", "# 0023: words are plain", "# Words are plain", "# 0023 · Words are plain"])(
  "the title %j of a decision 0023 is a problem",
  (title) => {
    expect(problemsOf(decision("Decision", "Why", "Consequences").replace(TITLE, title))).toBe(1);
  },
);
