import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { hostileValue } from "../support/code-cases.ts";

/** What holds for every language alike, whatever its rules make of a text. */
const LANGUAGES = ["bash", "sh", "python", "powershell", "cmd", "sql", "unknown"] as const;
const PIECES = [
  ...`" ' \` $ \\ # ( ) { } [ ] @ & | ; < > = % ! , . : - -- /* */ @" "@ @' '@ <# #> \`" $( \${ <<E select from where ' echo f x=`.split(
    " ",
  ),
  ...'{{v}}|{{v}}|{{a.b}}|{{v}}|\n|\n|\r\n| | |\t|E\n|iex |cmd /c |$x|{{|}}|{{"{{"}}|rem |%|^|é|\u2018|\u201d|$$|order by |--%'.split(
    "|",
  ),
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(""));
const language = fc.constantFrom(...LANGUAGES);

test("what can be saved can be rendered, and what cannot says why", () => {
  let accepted = 0;
  fc.assert(
    fc.property(language, text, (written, code) => {
      const problems = checkCode(written, code);
      const rendered = renderCode(written, code, () => "plain");
      if (problems.length === 0) {
        accepted += 1;
        expect(rendered.ok).toBe(true);
      } else if (!rendered.ok) {
        expect(rendered.failure.code).toBe("template_refused");
        expect(problems.join()).toContain(rendered.failure.message);
      }
      for (const problem of problems) expect(problem.length).toBeGreaterThan(20);
    }),
    { numRuns: 20_000, seed: 20_261_121 },
  );
  expect(accepted).toBeGreaterThan(1_000);
});

test("the text of code does not depend on its values: no value ever stands in it", () => {
  let carried = 0;
  fc.assert(
    fc.property(language, text, hostileValue, (written, code, value) => {
      const rendered = renderCode(written, code, () => value);
      if (!rendered.ok) return;
      const other = renderCode(written, code, () => "plain");
      expect(other.ok).toBe(true);
      const expected = other.ok ? other.text : "";
      // cmd.exe knows no reference: there a plain value stands in the text, and no other one gets so far.
      if (written === "cmd" && rendered.text !== expected) return expect(value).toMatch(/^[A-Za-z0-9_.:\\/@+ -]*$/u);
      expect(rendered.text).toBe(expected);
      for (const carriedValue of Object.values(rendered.values)) {
        carried += 1;
        expect(carriedValue).toBe(written === "sql" ? JSON.stringify(value) : value);
      }
    }),
    { numRuns: 20_000, seed: 20_261_121 },
  );
  expect(carried).toBeGreaterThan(200);
});

test.each(LANGUAGES.filter((name) => name !== "unknown" && name !== "sql"))(
  "a NUL and half a character fail the node in %s, with words that say so",
  (written) => {
    for (const value of ["a\0b", "\ud800"]) {
      expect(renderCode(written, written === "python" ? "x = {{v}}" : "echo {{v}}", () => value)).toMatchObject({
        ok: false,
        failure: { code: "value_not_representable", message: expect.stringContaining("{{v}}") },
      });
    }
  },
);

test.each([
  ["bash", "$(".repeat(20_000)],
  ["bash", "${x:-".repeat(20_000)],
  ["bash", "case x in x) ".repeat(20_000)],
  ["bash", `${"eval ".repeat(20_000)} $x; x={{v}}; y=`],
  ["bash", `x={{v}}; ${"$x ".repeat(20_000)}`],
  ["bash", `${"bash ".repeat(20_000)} -c `],
  ["python", "f(".repeat(20_000)],
] as const)("a script whose brackets or commands have no end is refused, and read in time: %s %#", (written, code) => {
  expect(checkCode(written, `${code}{{v}}`)).not.toEqual([]);
});
