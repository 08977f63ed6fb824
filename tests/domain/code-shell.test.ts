import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";

/**
 * Places where a template is accepted, each run by the real shells with every hostile value. A script prints what it was
 * given between marks, and nothing else may happen.
 */
const PRINT = "printf '<%s>'";
const ACCEPTED_BY_ALL: readonly [place: string, script: string][] = [
  ["a bare argument", `${PRINT} {{v}}`],
  ["double quotes", `${PRINT} "{{v}}"`],
  ["double quotes with text around it", `x="a{{v}}b"; x=\${x#a}; ${PRINT} "\${x%b}"`],
  ["a bare part of a word", `x=a{{v}}b; x=\${x#a}; ${PRINT} "\${x%b}"`],
  ["an assignment", `x={{v}}\n${PRINT} "$x"`],
  ["an assignment before a command", `X={{v}} sh -c '${PRINT.replaceAll("'", '"')} "$X"'`],
  ["export", `export X={{v}}; ${PRINT} "$X"`],
  ["a command substitution", `x=$(printf '%s.' {{v}}); ${PRINT} "\${x%.}"`],
  ["a command substitution in double quotes", `x="$(printf '%s.' "{{v}}")"; ${PRINT} "\${x%.}"`],
  ["a subshell", `( ${PRINT} {{v}} )`],
  ["a group and a pipe", `{ ${PRINT} "{{v}}"; } | cat`],
  ["a branch", `if [ -n x ]; then ${PRINT} {{v}}; else echo no; fi`],
  ["a comparison", `if [ {{v}} = {{v}} ] && [ ! "{{v}}" = other ]; then ${PRINT} {{v}}; fi`],
  ["a test for length", `[ -n "{{v}}" ] || [ -z {{v}} ] && ${PRINT} {{v}}`],
  ["the words of for", `for x in {{v}}; do ${PRINT} "$x"; done`],
  ["the word of case", `case {{v}} in nothing) echo no;; *) ${PRINT} {{v}};; esac`],
  ["a local variable", `f() { local x={{v}}; local y="$(printf '%s.' {{v}})"; ${PRINT} "\${y%.}"; }; f`],
  ["a pipe into a program with its own code", `printf '%s' {{v}} | sh -c 'printf "<"; cat; printf ">"'`],
  ["a pipe beside a shell that reads", `echo 'exit 0' | sh; ${PRINT} {{v}}`],
  ["a function's arguments", `show() {\n  ${PRINT} "$1"\n}\nshow {{v}}`],
  ["set --", `set -- {{v}}; ${PRINT} "$1"`],
  ["an argument after a shell's code", `sh -c '${PRINT.replaceAll("'", '"')} "$1"' _ {{v}}`],
  ["a command that a variable names", `run=printf; "$run" '<%s>' {{v}}`],
  ["a program in a folder that a variable names", `dir=/usr/bin; $dir/printf '<%s>' {{v}}`],
  ["xargs", `printf x | xargs sh -c '${PRINT.replaceAll("'", '"')} "$1"' _ {{v}}`],
  ["env", `env X={{v}} sh -c '${PRINT.replaceAll("'", '"')} "$X"'`],
  ["after a comment with a quote", `# don't {{w}}\n${PRINT} {{v}} # "`],
  ["after a here-document", `cat >/dev/null <<'EOF'\nit's "$( ( \`\nEOF\n${PRINT} {{v}}`],
  ["after a here-document with tabs", `cat >/dev/null <<-EOF\n\tit's\n\tEOF\n${PRINT} {{v}}`],
  ["after a continued line", `printf \\\n'<%s>' \\\n  {{v}}`],
  ["twice", `${PRINT} {{v}} >/dev/null; ${PRINT} "{{v}}"`],
];
const ACCEPTED_BY_BASH: typeof ACCEPTED_BY_ALL = [
  ["a here-string", `x=$(cat <<< "{{v}}."); ${PRINT} "\${x%.}"`],
  ["an array", `x=( {{v}} b ); ${PRINT} "\${x[0]}"`],
  ["an array of one", `x=({{v}}); ${PRINT} "\${x[@]}"`],
  ["[[ … ]]", `[[ {{v}} == {{v}} && ! {{v}} =~ ^(never|x{9})$ ]] && ${PRINT} {{v}}`],
  ["a process substitution", `x=$(cat <(printf '%s.' {{v}})); ${PRINT} "\${x%.}"`],
  ["after arithmetic", `for ((i = 0; i < 1; i++)); do (( i + (2 * 3) )); ${PRINT} {{v}}; done`],
  ["a number in [ … ]", `[ {{v}} -eq 5 ] 2>/dev/null; ${PRINT} {{v}}`],
  ["a nested case", `x=$(case a in (a) case b in b) printf '%s.' {{v}} ;; esac ;; esac); ${PRINT} "\${x%.}"`],
];

const SHELLS = [
  ["bash", "bash", [...ACCEPTED_BY_ALL, ...ACCEPTED_BY_BASH]],
  ["sh", "dash", ACCEPTED_BY_ALL],
  ["sh", "bash --posix", ACCEPTED_BY_ALL],
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
    const values = {
      ...HOSTILE_VALUES,
      ARITHMETIC: `a[$(touch ${directory}/executed)]`,
      BREAKS_OUT: `"; touch ${directory}/executed; "`,
    };
    await Promise.all(
      Object.entries(values).map(async ([name, value]) => {
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
