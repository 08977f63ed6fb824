import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { jsonValueSchema } from "../../schema/contract/json.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { bindSqlValues } from "../../schema/contract/sql-values.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { hostileValue, pythonCase, shellCase, sqlCase } from "../support/code-cases.ts";
import type { CodeCase } from "../support/code-cases.ts";

/** Random code with a known result, and random values: all of it is accepted, and every value arrives byte for byte. */
const SEED = 20_261_121;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "bellhop-values-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ["bash", "bash", 700],
  ["sh", "dash", 500],
  ["sh", "bash --posix", 200],
] as const)("%s, run by %s: what was written comes out, with the value in it", (language, program, numRuns) => {
  const [shell = "", ...options] = program.split(" ");
  const path = Bun.which(shell);
  if (path === null) return console.log(`skipped: random code run by ${program} (not installed)`);
  const work = mkdtempSync(join(directory, "shell-"));
  fc.assert(
    fc.property(shellCase, hostileValue, (code, value) => {
      // dash loses this byte in some expansions by its own making.
      const given = shell === "dash" ? value.replaceAll("\u0081", "") : value;
      expect(checkCode(language, code.text)).toEqual([]);
      const rendered = renderCode(language, code.text, () => given);
      if (!rendered.ok) throw new Error(rendered.failure.message);
      const child = Bun.spawnSync([path, ...options, "-c", `show() { printf '<%s>' "$1"; }\n${rendered.text}`], {
        cwd: work,
        env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", E: "e e", ...rendered.values },
        stdin: null,
        timeout: 10_000,
      });
      expect(child.stdout.toString()).toBe(`<${withValue(code, given)}>`);
      expect(readdirSync(work).filter((name) => name !== "f")).toEqual([]);
    }),
    { numRuns, seed: SEED },
  );
});

test("Python: what was written comes out, with the value in it", () => {
  const cases = fc.sample(fc.tuple(pythonCase, hostileValue), { numRuns: 4_000, seed: SEED });
  const jobs = cases.map(([code, value]) => {
    expect(`${code.text}: ${checkCode("python", code.text).join()}`).toBe(`${code.text}: `);
    const rendered = renderCode("python", code.text, () => value);
    if (!rendered.ok) throw new Error(rendered.failure.message);
    return { text: rendered.text, values: rendered.values };
  });
  const work = mkdtempSync(join(directory, "python-"));
  const child = Bun.spawnSync(["python3", "-c", RUN_EACH], {
    cwd: work,
    env: { PATH: process.env["PATH"] ?? "", PYTHONIOENCODING: "utf-8" },
    stdin: Buffer.from(JSON.stringify(jobs)),
    stderr: "inherit",
  });
  const got: unknown = JSON.parse(child.stdout.toString());
  expect(got).toEqual(cases.map(([code, value]) => withValue(code, value)));
  expect(readdirSync(work)).toEqual([]);
});

/** Runs each job with its values in the environment, and prints what each put into `got`. */
const RUN_EACH = `
import json, os, sys
results = []
for job in json.load(sys.stdin):
    os.environ.update(job["values"])
    scope = {}
    try:
        exec(compile(job["text"], "job", "exec"), scope)
        results.append(scope["got"])
    except Exception as error:
        results.append({"error": repr(error), "text": job["text"]})
print(json.dumps(results))
`;

test("SQL, run by SQLite: what was written comes out, with the value bound", () => {
  const database = new Database(":memory:");
  database.run("create table t (a)");
  fc.assert(
    fc.property(sqlCase, fc.oneof(hostileValue, fc.constant("a\0b")), (code, value) => {
      expect(checkCode("sql", code.text)).toEqual([]);
      const rendered = renderCode("sql", code.text, () => value);
      if (!rendered.ok) throw new Error(rendered.failure.message);
      const { text, parameters } = bindSqlValues(rendered.text, rendered.values, "sqlite");
      const named = Object.fromEntries(parameters.map((parameter) => [`:${parameter.name}`, parameter.value]));
      // SQLite's || ends a text at a NUL; what is bound alone does not.
      if (value.includes("\0")) expect(Object.values(named)).toEqual([value]);
      else expect(database.query(text).values(named)).toEqual([[withValue(code, value)]]);
    }),
    { numRuns: 2_000, seed: SEED },
  );
  expect(database.query("select count(*) from sqlite_master").values()).toEqual([[1]]);
  database.close();
});

test("a JSON body keeps its shape, whatever its values are", () => {
  const leaf = fc.oneof(
    fc.constantFrom<JsonValue>(null, true, 5, "plain", 'quote " and \\', "{{v}}", "a{{v}}b", "{{v}}{{v}}"),
    fc.constant<JsonValue>("BARE"),
  );
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", 'q"', "__proto__"), tie("tree"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(
      fc.array(tree, { minLength: 1, maxLength: 3 }),
      fc.oneof(hostileValue, fc.jsonValue()),
      (body, value) => {
        // There is no -0 in JSON.
        const given = jsonValueSchema.parse(JSON.parse(JSON.stringify(value)));
        const text = JSON.stringify(body).replaceAll('"BARE"', " {{v}} ");
        const rendered = renderParams("http.request", { method: "POST", body: text }, () => given);
        if (!rendered.ok) throw new Error(rendered.failure.message);
        const shown = typeof given === "string" ? given : given === null ? "" : JSON.stringify(given);
        const expected: unknown = JSON.parse(JSON.stringify(body), (_, member: unknown) => {
          if (member === "BARE") return given;
          return typeof member === "string" ? member.replaceAll("{{v}}", () => shown) : member;
        });
        expect(JSON.parse(String(rendered.params["body"]))).toEqual(expected);
      },
    ),
    { numRuns: 2_000, seed: SEED },
  );
});

function withValue({ expected }: CodeCase, value: string): string {
  return expected.replaceAll("V", () => value);
}
