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
  ["a function's arguments", `show() {\n  ${PRINT} "$1"\n}\nshow {{v}}`],
  ["set --", `set -- {{v}}; ${PRINT} "$1"`],
  ["an argument after a shell's code", `sh -c '${PRINT.replaceAll("'", '"')} "$1"' _ {{v}}`],
  ["a command that a variable names", `run=printf; "$run" '<%s>' {{v}}`],
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

describe.each([
  ["bash", "bash", [...ACCEPTED_BY_ALL, ...ACCEPTED_BY_BASH]],
  ["sh", "dash", ACCEPTED_BY_ALL],
  ["sh", "bash --posix", ACCEPTED_BY_ALL],
] as const)("%s, run by %s", (language, program, accepted) => {
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
        const printed = await run(program, script, given, directory);
        expect(`${name} ${printed}`).toBe(`${name} <${given}>`);
      }),
    );
    expect(await readdir(directory)).toEqual([]);
  });
});

async function run(program: string, script: string, value: string, directory: string): Promise<string> {
  const rendered = renderCode(program.startsWith("bash") && program === "bash" ? "bash" : "sh", script, () => value);
  if (!rendered.ok) throw new Error(rendered.failure.message);
  const child = Bun.spawn([...program.split(" "), "-c", rendered.text], {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", ...rendered.values },
    stdout: "pipe",
    stderr: "pipe",
  });
  return new Response(child.stdout).text();
}

describe("places that are refused when a workflow is saved", () => {
  const refused: readonly [script: string, why: string][] = [
    ["{{v}}", "one template alone"],
    [" {{v}}\n", "one template alone"],
    ["{{v}} status", "name the program"],
    ["./run-{{v}}.sh", "name the program"],
    ["if {{v}}; then :; fi", "name the program"],
    ['true && "{{v}}"', "name the program"],
    ["echo $({{v}})", "name the program"],
    ["sudo -u root {{v}}", "name the program"],
    ["exec {{v}}", "name the program"],
    ["timeout 5 {{v}} x", "name the program"],
    ["find . -exec {{v}} {} \\;", "name the program"],
    ["kubectl exec pod -- {{v}}", "name the program"],
    ["X=1 {{v}}", "name the program"],
    ["2>&1 {{v}}", "name the program"],
    ["echo '{{v}}'", "single quotes"],
    ["echo \"a\"'{{v}}'", "single quotes"],
    ["echo $'{{v}}'", "$'…'"],
    ['echo $"{{v}}"', '$"…"'],
    ["echo `echo {{v}}`", "backticks"],
    ['echo "`echo {{v}}`"', "backticks"],
    ["cat <<EOF\n{{v}}\nEOF", "here-document"],
    ["cat <<'EOF'\n{{v}}\nEOF", "here-document"],
    ["cat <<EOF\na\\\nEOF\n{{v}}\nEOF", "here-document"],
    ["cat <<-EOF\n\t{{v}}\n\tEOF", "here-document"],
    ["cat <<A <<B\nA\n{{v}}\nB", "here-document"],
    ["echo ${x:-{{v}}}", "${…}"],
    ['echo "${x:-{{v}}}"', "${…}"],
    ["echo ${x:-$(echo {{v}})}", "${…}"],
    ["echo \\{{v}}", "backslash"],
    ['echo "\\{{v}}"', "backslash"],
    ["echo \\\n{{v}}", "continues"],
    ["echo ${{v}}", "remove the $"],
    ['echo "${{v}}"', "remove the $"],
    ["echo $(( {{v}} + 1 ))", "arithmetic"],
    ["(( {{v}} > 1 ))", "arithmetic"],
    ["for ((i = {{v}}; i; i--)); do :; done", "arithmetic"],
    ["let x={{v}}", "let"],
    ["[[ {{v}} -gt 5 ]]", "numbers"],
    ["[[ a -lt b || {{v}} == x ]]", "numbers"],
    ["[[ -v {{v}} ]]", "variable"],
    ["[[ a =~ {{v}} ]]", "regular expression"],
    ["[[ a =~ ^(x|{{v}})$ ]]", "regular expression"],
    ["[ -v {{v}} ]", "more than one operator"],
    ["test {{v}} {{v}}", "more than one operator"],
    ["[ {{v}} = a -a {{v}} = b ]", "more than one operator"],
    ["[ a {{v}} b ]", "more than one operator"],
    ["a[{{v}}]=1", ""],
    ["echo x; a[{{v}}]+=1", ""],
    ["a=([{{v}}]=1)", "index"],
    ["declare x={{v}}", "declare"],
    ["local x={{v}}", "local"],
    ["export {{v}}", "name of a variable"],
    ["export -n x={{v}}", "options"],
    ["declare -i n\nn={{v}}", "integers"],
    ["RANDOM={{v}}", "RANDOM"],
    ["BASH_ENV={{v}} bash x", "BASH_ENV"],
    ["env PS4={{v}} bash x", "PS4"],
    ["eval echo {{v}}", "eval"],
    ["e'va'l \"{{v}}\"", "eval"],
    ["\\eval {{v}}", "eval"],
    ["command eval {{v}}", "eval"],
    ["builtin eval {{v}}", "eval"],
    ["source {{v}}", "source"],
    [". {{v}}", "run or evaluate"],
    ["read {{v}}", "read"],
    ["unset {{v}}", "unset"],
    ["printf -v {{v}} x", "printf -v"],
    ["printf {{v}} x", "format"],
    ['printf "at {{v}}\\n"', "format"],
    ["trap {{v}} EXIT", "trap"],
    ["set {{v}}", "option"],
    ["bash -c {{v}}", "bash"],
    ['bash -c "echo {{v}}"', "bash"],
    ["bash -lc {{v}}", "bash"],
    ["bash -c -x {{v}}", "bash"],
    ['/bin/sh -c "{{v}}"', "code"],
    ["bash {{v}}", "bash"],
    ["sudo bash -c {{v}}", "bash"],
    ["env X=1 sh -c {{v}}", "code"],
    ["env -S {{v}}", "env -S"],
    ['docker exec web sh -c "{{v}}"', "code"],
    ['find . -exec sh -c "echo {{v}}" \\;', "code"],
    ["xargs -I{} sh -c {{v}}", "code"],
    ["ssh host {{v}}", "ssh.executeCommand"],
    ["ssh {{v}} uptime", "ssh.executeCommand"],
    ["su -c {{v}} user", "su"],
    ["watch {{v}}", "watch"],
    ["$SUDO {{v}}", "name the program"],
    ["$(true) eval {{v}}", "eval"],
    ['"$@" sh -c {{v}}', "code"],
    ['"$SUDO" bash -c {{v}}', "bash"],
    ["bash $OPTIONS {{v}}", "bash"],
    ["python3 -c \"print('{{v}}')\"", "python3"],
    ['perl -ne "{{v}}"', "perl"],
    ["node -e {{v}}", "node"],
    ['awk "{{v}}" file', "awk"],
    ['sed "s/a/{{v}}/" file', "sed"],
    ["sed -e {{v}} file", "sed"],
    ["sed s/a/b/ {{v}}", "sed"],
    ['jq ".a = {{v}}"', "jq"],
    ["psql -c \"select '{{v}}'\"", "psql"],
    ["mysql -e \"select '{{v}}'\"", "mysql"],
    ["case a in {{v}}) ;; esac", "pattern"],
    ["echo >&{{v}}", "descriptor"],
    ["echo {{v}} 'open", "cannot be followed"],
    ['echo {{v}} "open', "cannot be followed"],
    ["echo {{v}} $(open", "cannot be followed"],
    ["echo {{v}}; esac", "cannot be followed"],
    ["echo {{v}} )", "cannot be followed"],
    ["echo {{v}} @(a|b)", "cannot be followed"],
    ["echo {{v}}; coproc x", "cannot be followed"],
    ["echo {{v}} $[1+1]", "cannot be followed"],
    ["echo {{v}} \"${x:-'a'}\"", "cannot be followed"],
    ["cat <<$X\nX\necho {{v}}", "cannot be followed"],
    ["echo {{v}}\u0000", "NUL"],
  ];
  test.each([...refused])("bash: %s", (script, why) => {
    const problems = checkCode("bash", script);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join("\n")).toContain(why);
    expect(renderCode("bash", script, () => "x")).toMatchObject({ ok: false, failure: { code: "template_refused" } });
  });

  test.each([
    ["[ {{v}} -gt 5 ]"],
    ["[[ {{v}} == x ]]"],
    ["x=({{v}})"],
    ["cat <<< {{v}}"],
    ["echo $'a' {{v}}"],
    ["cat <(echo {{v}})"],
    ["function f { echo {{v}}; }"],
    ["(( 1 )); echo {{v}}"],
    ["echo a &> file; echo {{v}}"],
    ["{n}> file echo {{v}}"],
  ])("sh, which may be any shell of that name: %s", (script) => {
    expect(checkCode("sh", script)).not.toEqual([]);
  });
});

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

test.each([["cmd"], ["sql"], ["unknown"]] as const)("%s takes no templates, but any other code", (language) => {
  expect(checkCode(language, "select {{v}}")).toHaveLength(1);
  expect(checkCode(language, "select 1")).toEqual([]);
});
