import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { ACCEPTED_BY_BASH, ACCEPTED_BY_EVERY_SHELL } from "../support/template-places.ts";

const SHELLS = [
  ["bash", "bash", [...ACCEPTED_BY_EVERY_SHELL, ...ACCEPTED_BY_BASH]],
  ["sh", "dash", ACCEPTED_BY_EVERY_SHELL],
  ["sh", "bash --posix", ACCEPTED_BY_EVERY_SHELL],
] as const;
const present = SHELLS.filter(([, program]) => Bun.which(program.split(" ")[0] ?? "") !== null);
for (const [, program] of SHELLS.filter((shell) => !present.includes(shell))) {
  console.log(`skipped: code run by ${program} (not installed)`);
}

describe.each(present)("%s, run by %s", (language, program, accepted) => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-code-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.each([...accepted])("every hostile value arrives whole, and nothing runs: %s", async (_, script) => {
    expect(checkCode(language, script)).toEqual([]);
    await Promise.all(
      Object.entries(HOSTILE_VALUES).map(async ([name, value]) => {
        // dash loses these bytes in some expansions by its own making; bash carries them everywhere.
        if (program === "dash" && name === "DASH_MARKS") return;
        const given = value.replaceAll("/tmp/bellhop-pwned", `${directory}/executed`);
        const printed = await run(language, program, script, given, directory);
        expect(`${name} ${printed}`).toBe(`${name} <${given}>`);
      }),
    );
    expect(await readdir(directory)).toEqual([]);
  });
});

async function run(
  language: "bash" | "sh",
  program: string,
  script: string,
  value: string,
  directory: string,
): Promise<string> {
  const rendered = renderCode(language, script, () => value);
  if (!rendered.ok) throw new Error(rendered.failure.message);
  const child = Bun.spawn([...program.split(" "), "-c", rendered.text], {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", ...rendered.values },
    stdout: "pipe",
    stderr: "pipe",
  });
  return new Response(child.stdout).text();
}

test("a template in a comment stays as it was written, and needs no value", () => {
  expect(renderCode("bash", "echo a # {{v}}\n# {{w}}", () => "x")).toEqual({
    ok: true,
    text: "echo a # {{v}}\n# {{w}}",
    values: {},
  });
});

test("a path that is used twice has one variable; another one has its own", () => {
  const rendered = renderCode("bash", 'echo {{a}} "{{b.c}}" {{ a }}', ([name]) => `value of ${name}`);
  expect(rendered).toEqual({
    ok: true,
    text: 'echo "${BELLHOP_VALUE_1}" "${BELLHOP_VALUE_2}" "${BELLHOP_VALUE_1}"',
    values: { BELLHOP_VALUE_1: "value of a", BELLHOP_VALUE_2: "value of b" },
  });
});

test.each([
  ["a NUL character", "a\u0000b", "value_not_representable"],
  ["half a character", "a\ud800b", "value_not_representable"],
  ["more than an environment variable holds", "x".repeat(200_000), "value_too_large"],
])("a value with %s fails the node", (_, value, code) => {
  expect(renderCode("bash", "echo {{v}}", () => value)).toMatchObject({ ok: false, failure: { code } });
});
