import { expect, test } from "bun:test";
import fc from "fast-check";
import { codeProblems, renderedCode } from "../support/in-place-code.ts";
import { DELIMITERS, nestedScript, pythonScript } from "../support/nested-scripts.ts";
import { plainWord } from "../support/plain-words.ts";
import { runScripts } from "../support/script-runs.ts";
import { FULL } from "../support/full.ts";

/** `npm test` runs the same scripts each time; `npm run test:full` runs new ones. */
const SEED = FULL ? {} : { seed: 20_261_123 };
/** Values that would create a canary if a word made a line of text a command, or named a variable in arithmetic. */
const ENV = { TITLE: "touch canary", SUBSCRIPT: "a[$(touch canary)]" };

const word = fc.oneof({ weight: 3, arbitrary: plainWord }, { weight: 2, arbitrary: fc.constantFrom(...DELIMITERS) });

test.each([
  ["bash", "bash", nestedScript("bash"), FULL ? 2_000 : 250],
  ["sh", "dash", nestedScript("sh"), FULL ? 1_500 : 150],
  ["python", "python3", pythonScript, FULL ? 1_000 : 100],
] as const)(
  "a plain word as an argument arrives unchanged through any quotes and shells, and is never executed: %s, run by %s",
  async (language, program, scripts, numRuns) => {
    const samples = fc.sample(fc.tuple(scripts, word, plainWord), { numRuns, ...SEED });
    const jobs = samples.flatMap(([{ text, printed }, v, w]) => {
      expect({ text, problems: codeProblems(language, text) }).toEqual({ text, problems: [] });
      const names = new Set(Object.keys(ENV));
      const found = renderedCode(language, text, ([name]) => (name === "w" ? w : v), names);
      if (!("text" in found)) return [];
      return [{ script: found.text, printed: printed.replaceAll("{{v}}", v).replaceAll("{{w}}", w) }];
    });
    expect(jobs.length).toBeGreaterThan(numRuns / 2);
    const runs = await runScripts(
      program,
      jobs.map(({ script }) => script),
      ENV,
    );
    for (const [index, { script, printed }] of jobs.entries()) {
      const expected = { script, stdout: expect.stringContaining(printed), madeCanary: false };
      expect({ script, ...runs[index] }).toEqual(expected);
    }
  },
  300_000,
);
