import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";

/** Accepted places, run by the real Python with every hostile value: each puts the value, whole, into `got`. */
const ACCEPTED: readonly [place: string, script: string][] = [
  ["an expression", "got = {{v}}"],
  ["an argument", "got = str({{v}})"],
  ["an element of a list", "got = [1, {{v}}, 2][1]"],
  ["a value of a dictionary", 'got = {"a": {{v}}}["a"]'],
  ["a method's object", "got = {{v}}.replace('no such text', '')"],
  ["double quotes", 'got = "{{v}}"'],
  ["double quotes with text around it", 'got = "a{{v}}b"[1:-1]'],
  ["double quotes with escapes around it", 'got = "\\"\\\\{{v}}\\n"[2:-1]'],
  ["twice in double quotes", 'got = "{{v}}|{{v}}"[len({{v}}) + 1:]'],
  ["an argument in double quotes", 'got = str("{{v}}")'],
  [
    "a list of arguments for a program",
    "import subprocess\ngot = subprocess.run(['printf', '%s', {{v}}], stdout=-1).stdout.decode()",
  ],
  [
    "the same without a shell",
    'import subprocess\ngot = subprocess.run(["printf", "%s", "{{v}}"], stdout=-1, shell=False).stdout.decode()',
  ],
  [
    "a parameter of a query",
    'import sqlite3\ngot = sqlite3.connect(":memory:").execute("select ?", ({{v}},)).fetchone()[0]',
  ],
  ["an argument of a format", 'got = "{}".format({{v}})'],
  ["an argument of %", 'got = "%s" % ({{v}},)'],
  ["after a comment with a quote", "# don't {{w}}\ngot = {{v}}  # \""],
  ["after a long text", "x = '''it's \" {{\"{{\"}} #'''\ngot = {{v}}"],
  ["after an f-string", "x = f'{1 + 1:>3}'\ngot = {{v}}"],
  ["over several lines", 'got = (\n  "{{v}}"  # the first\n  + ""\n)'],
  ["after a raw string", "x = r'\\'\ngot = {{v}}".replace("'\\'", "'\\w'")],
  ["in a branch", 'if {{v}} == {{v}}:\n  got = "{{v}}"\nelse:\n  got = None'],
];

describe("Python", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-code-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.each([...ACCEPTED])("every hostile value arrives whole, and nothing runs: %s", async (_, script) => {
    expect(checkCode("python", script)).toEqual([]);
    const values = {
      ...HOSTILE_VALUES,
      PYTHON: `"); open("executed", "w"); ("`,
      EXPRESSION: `__import__("os").system("touch executed")`,
      FORMAT: "{0.__class__} %(a)s %s",
    };
    // One process for all values: what is checked is the text, and the text is the same for each.
    const rendered = renderCode("python", script, () => "");
    if (!rendered.ok) throw new Error(rendered.failure.message);
    const child = Bun.spawn(["python3", "-c", EACH_VALUE, rendered.text, Object.keys(rendered.values).join(" ")], {
      cwd: directory,
      env: { PATH: process.env["PATH"] ?? "", ...valuesAsVariables(values) },
      stdout: "pipe",
      stderr: "inherit",
    });
    const got: unknown = JSON.parse(await new Response(child.stdout).text());
    expect(got).toEqual(values);
    expect(await readdir(directory)).toEqual([]);
  });
});

/** Runs the script once for each value, with the value in the variables that the script reads. */
const EACH_VALUE = `
import json, os, sys
result = {}
for name in list(os.environ):
    if name.startswith("GIVEN_"):
        for variable in sys.argv[2].split():
            os.environ[variable] = os.environ[name]
        scope = {}
        exec(compile(sys.argv[1], "script", "exec"), scope)
        result[name[6:]] = scope["got"]
print(json.dumps(result))
`;

function valuesAsVariables(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`GIVEN_${name}`, value]));
}

describe("places that are refused when a workflow is saved", () => {
  test.each([
    ["{{v}}", "one template alone"],
    ["x = '{{v}}'", "plain double quotes"],
    ["x = '''{{v}}'''", "plain double quotes"],
    ['x = """{{v}}"""', "plain double quotes"],
    ['x = f"{{v}}"', "prefix f"],
    ['x = F"{{v}}"', "prefix F"],
    ['x = rb"{{v}}"', "prefix rb"],
    ['x = r"{{v}}"', "prefix r"],
    ['x = b"{{v}}"', "prefix b"],
    ['x = "a\\{{v}}"', "backslash"],
    ['x = "a" "{{v}}"', "side by side"],
    ['x = "{{v}}" "b"', "side by side"],
    ['x = ("{{v}}"\n  "b")', "side by side"],
    ['x = "{{v}}" \\\n  "b"', "side by side"],
    ['x = "{{v}} {}".format(1)', "format"],
    ['x = "{{v}} %s" % 1', "format"],
    ["x = a{{v}}", "touches"],
    ["x = a.{{v}}", "touches"],
    ["x = {{v}}b", "touches"],
    ["x = {{v}}(1)", "function"],
    ["import {{v}}", "import"],
    ["class {{v}}: pass", "class"],
    ["eval({{v}})", "eval"],
    ['exec("print({{v}})")', "exec"],
    ["__import__({{v}})", "__import__"],
    ["import os\nos.system({{v}})", "system"],
    ['import os\nos.system("ls " + str("{{v}}"))', "system"],
    ['os.popen("{{v}}")', "popen"],
    ["subprocess.run({{v}}, shell=True)", "shell=True"],
    ['subprocess.run(f"x", shell = True, input=[{{v}}])', "shell=True"],
    ['subprocess.check_output("ls {{v}}", shell=flag)', "shell=True"],
    ['subprocess.run(["bash", "-c", "ls {{v}}"])', "bash"],
    ['subprocess.run(["sudo", "/bin/sh", "-ec", {{v}}])', "code"],
    ['subprocess.run(["ssh", "host", {{v}}])', "ssh"],
    ['cursor.execute("select * from t where a = {{v}}")', "SQL"],
    ["cursor.execute({{v}})", "SQL"],
    ['x = "{{v}}', "cannot be followed"],
    ["x = {{v}}\ny = 'open\n", "cannot be followed"],
    ['x = {{v}}\ny = f"{d["a"]}"', "cannot be followed"],
    ["x = \\ {{v}}", "cannot be followed"],
  ])("%s", (script, why) => {
    const problems = checkCode("python", script);
    expect(problems.join("\n")).toContain(why);
    expect(renderCode("python", script, () => "x")).toMatchObject({ ok: false, failure: { code: "template_refused" } });
  });
});
