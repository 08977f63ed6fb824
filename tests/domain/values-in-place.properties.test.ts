import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { renderSql } from "../../worker/domain/render-sql.ts";
import { TemplateFailure } from "../../worker/domain/template/failure.ts";
import { codeProblems, renderedCode } from "../support/in-place-code.ts";
import { anyValue, notPlain } from "../support/values-in-place.ts";
import { FULL } from "../support/full.ts";

/** Covers every text that can be saved and every value. The rules for values are repeated here on purpose. */
const OPTIONS = FULL ? { numRuns: 50_000 } : { numRuns: 2_500, seed: 20_261_123 };
const ALONE = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,255}$/u;
const TOUCHING = /^[A-Za-z0-9_.-]{1,256}$/u;
const LEADS_ELSEWHERE = /\/\/|:\/|(?:^|[/:])\.+(?:[/:]|$)/u;
/** The values that each filter lets through. */
const FORMS: Readonly<Record<string, RegExp>> = {
  "{{i | int}}": /^-?(?:0|[1-9][0-9]{0,14})$/u,
  "{{n | number}}": /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$/u,
  "{{b | bool}}": /^(?:true|false)$/u,
  "{{m | name}}": /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}$/u,
  '{{o | oneOf:"a","5"}}': /^[a5]$/u,
};
const BRACES = '{{"{{"}}';

const SHELL = ` |\n|"|'|"|'|; |=|echo |/srv/|a|-|{ |} |$x |$(|)|\`|<<E\n|\nE\n|# |\\|[ |((|\${|é|\\\n|>|EOF`.split("|");
const PIECES: Readonly<Record<CodeLanguage, readonly string[]>> = {
  bash: SHELL,
  sh: SHELL,
  powershell: `"|'|"|'|"|'|"|'| |\n|$x |$(|)|\`|@"\n|\n"@|# |<# | #>|Get-Item |\u201d|-|a|$env:|; `.split("|"),
  python: `"|'|"|'|"|'|"""|'''| |\n|x = |print(|)|# |f"|r'|\\|{|}|a|-|; `.split("|"),
  cmd: ` |\n|"|echo |%|^|& |dir|.txt|-|a|!|/|=|> `.split("|"),
  sql: `select | from t|, | |\n|'|"|--|/*|*/|(|)|$$|:|a|;|\\| = |, | `.split("|"),
};

/** A text in pieces, of which some are templates. */
function piecesOf(language: CodeLanguage): fc.Arbitrary<string[]> {
  const template = fc.constantFrom("{{v}}", "{{v}}", "{{w}}", "{{ w }}", ...Object.keys(FORMS), BRACES);
  const quoted = fc.tuple(fc.constantFrom('"', "'"), template).map(([quote, found]) => [quote, found, quote]);
  const pieces = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...PIECES[language]).map((piece) => [piece]) },
    { weight: 2, arbitrary: template.map((found) => [found]) },
    { weight: language === "sql" ? 0 : 1, arbitrary: quoted },
  );
  return fc.array(pieces, { minLength: 1, maxLength: 12 }).map((found) => found.flat());
}

const given = fc.record(Object.fromEntries([..."vwinbmo"].map((name) => [name, anyValue])));

describe.each(["bash", "sh", "powershell", "python", "cmd"] as const)("code in %s", (language) => {
  const saved = piecesOf(language).filter((pieces) => codeProblems(language, pieces.join("")).length === 0);

  test("renders to the author's text with plain words in it, or is refused with the template and its line", () => {
    let words = 0;
    fc.assert(
      fc.property(saved, given, (pieces, values) => {
        const text = pieces.join("");
        const found = renderedCode(language, text, ([name = ""]) => values[name]);
        if (!("text" in found)) return expectPlace(text, found.message);
        expect(found.text).toBe(pieces.map((piece) => written(piece, values)).join(""));
        for (const template of pieces.filter(isTemplate)) {
          const word = written(template, values);
          if (word === "") continue;
          words += 1;
          const form = FORMS[template] ?? (language !== "cmd" && ALONE.test(word) ? ALONE : TOUCHING);
          expect(word).toMatch(form);
          if (FORMS[template] === undefined) expect(word).not.toMatch(LEADS_ELSEWHERE);
        }
      }),
      OPTIONS,
    );
    expect(words).toBeGreaterThan(OPTIONS.numRuns / 20);
  });

  test("refuses a value that is not a plain word, and names the first forbidden character", () => {
    fc.assert(
      fc.property(saved, notPlain, (pieces, value) => {
        if (!pieces.includes("{{v}}")) return;
        const found = renderedCode(language, pieces.join(""), ([name]) => (name === "v" ? value : ""));
        if ("text" in found) throw new Error(`the code was rendered: ${found.text}`);
        expectPlace(pieces.join(""), found.message);
        const chars = [...value];
        const other = chars.findIndex((char) => !/[A-Za-z0-9_.-]/u.test(char));
        // A value that is a whole word may contain : and /.
        if (other >= 0 && !/[:/]/u.test(chars[other] ?? "")) {
          expect(found.message).toContain(`its character ${other + 1} is ${JSON.stringify(chars[other])}`);
        }
      }),
      OPTIONS,
    );
  });

  test("takes a plain word for every template that can be saved", () => {
    fc.assert(
      fc.property(saved, fc.stringMatching(/^w[a-z0-9_]{0,9}$/u), (pieces, word) => {
        const narrow: Readonly<Record<string, string>> = { i: "-1", n: "2.5", b: "true", o: "a" };
        const found = renderedCode(language, pieces.join(""), ([name = ""]) => narrow[name] ?? word);
        expect(found).toHaveProperty("text");
      }),
      OPTIONS,
    );
  });
});

test("SQL gets a placeholder for each template, and values are passed as parameters", () => {
  let bound = 0;
  fc.assert(
    fc.property(piecesOf("sql"), given, (pieces, values) => {
      const text = pieces.join("");
      const found = codeProblems("sql", text).length > 0 ? null : renderedSql(text, values);
      if (found === null) return;
      const templates = [...new Set(pieces.filter(isTemplate))];
      const names = new Map(templates.map((template, index) => [template, `bellhop_value_${index + 1}`]));
      const placed = pieces.map((piece) => (names.has(piece) ? `:${names.get(piece)}` : written(piece, {})));
      expect(found.query).toBe(placed.join(""));
      expect(Object.keys(found.values)).toEqual([...names.values()]);
      for (const [template, name] of names) {
        bound += 1;
        const value: JsonValue = JSON.parse(found.values[name] ?? "");
        expect(value === null ? "" : String(value)).toBe(
          typeof value === "number" ? String(value) : written(template, values),
        );
      }
    }),
    OPTIONS,
  );
  expect(bound).toBeGreaterThan(OPTIONS.numRuns / 20);
});

function isTemplate(piece: string): boolean {
  return piece.startsWith("{{") && piece !== BRACES;
}

/** The rendered piece, when nothing is refused. */
function written(piece: string, values: Readonly<Record<string, JsonValue>>): string {
  if (!isTemplate(piece)) return piece === BRACES ? "{{" : piece;
  const value = values[/[a-z]/u.exec(piece)?.[0] ?? ""] ?? "";
  if (value === "" || !/int|number/u.test(piece)) return String(value);
  const number = Number(value);
  return String(number).includes("e") ? number.toFixed(15) : String(number);
}

/** Whether a message names a template and its line. */
function expectPlace(text: string, message: string): void {
  const [, line, template = "?"] = /^line ([0-9]+): (?:the value of )?(\{\{.*?\}\})/u.exec(message) ?? [];
  expect(text.split("\n")[Number(line) - 1]).toContain(template);
}

function renderedSql(text: string, values: Record<string, JsonValue>): ReturnType<typeof renderSql> | null {
  try {
    return renderSql(text, ([name = ""]) => values[name], new Set());
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    expect(error.failure.message).toMatch(/\{\{.*\}\}/u);
    return null;
  }
}
