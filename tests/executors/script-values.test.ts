import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import fc from "fast-check";
import { renderParams } from "../../worker/domain/render-params.ts";
import { outputOf, runAction, temporaryState, textOf } from "../support/executor-context.ts";
import { hostileValuesFor } from "../support/hostile-values.ts";
import { paramProblems } from "../support/problems.ts";
import { notPlain } from "../support/values-in-place.ts";
import { FULL } from "../support/full.ts";

/** Values from the saved workflow to the program: rendered as at a node's start, run by the agent's executor. */
const SEED = FULL ? {} : { seed: 20_261_123 };

let state: { path: string; remove: () => Promise<void> };
beforeAll(async () => {
  state = await temporaryState();
});
afterAll(() => state.remove());

const SCRIPTS: readonly (readonly [
  action: "script.bash" | "script.python",
  how: string,
  line: (name: string) => string,
])[] = [
  ["script.bash", "quoted", (name) => `printf '%s\\0' "$${name}"`],
  ["script.bash", "by another shell", (name) => `sh -c 'printf "%s\\0" "$1"' _ "$${name}"; : {{webhook.word}}`],
  ["script.bash", "in a here-document", (name) => `cat <<EOF; printf '\\b\\0'\n$${name}\nEOF`],
  ["script.python", "read", (name) => `print(os.environ["${name}"], end="\\0"); "{{webhook.word}}"`],
  [
    "script.python",
    "by a shell",
    (name) => `subprocess.run(["sh", "-c", 'printf "%s\\\\0" "$1"', "_", os.environ["${name}"]])`,
  ],
];

test.each(SCRIPTS)(
  "%s: every value of env arrives byte for byte, %s, and none of it is executed",
  async (action, how, line) => {
    const random = fc
      .sample(notPlain, { numRuns: 60, ...SEED })
      .filter((value) => value.length < 999 && !value.includes("\0"));
    const values: Record<string, string> = {
      ...hostileValuesFor(`${state.path}/canary`),
      ...Object.fromEntries(random.map((value, index) => [`RANDOM_VALUE_${index}`, value])),
      word: "a.b-c",
    };
    const names = Object.keys(values).filter((name) => name !== "word");
    const first = action === "script.python" ? "import os, subprocess\n" : "";
    const saved = {
      script: `${first}${names.map(line).join("\n")}`,
      env: Object.fromEntries(names.map((name) => [name, `{{webhook.${name}}}`])),
    };
    expect(paramProblems(action, saved)).toEqual([]);
    const rendered = renderParams(action, saved, ([, name = ""]) => values[name]);
    if (!rendered.ok) throw new Error(rendered.failure.message);
    const { params, values: named } = rendered;
    const outcome = await runAction("script", action, { params, values: { ...named }, stateDirectory: state.path });
    const printed = textOf(outputOf(outcome), "stdout").replaceAll("\n\b\0", "\0").split("\0");
    expect(printed).toEqual([...names.map((name) => values[name] ?? ""), ""]);
    expect(await readdir(state.path)).not.toContain("canary");
    expect(how).not.toBe("");
  },
);
