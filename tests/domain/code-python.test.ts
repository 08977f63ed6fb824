import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { ACCEPTED_BY_PYTHON } from "../support/template-places.ts";

describe("Python", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-code-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.each([...ACCEPTED_BY_PYTHON])("every hostile value arrives whole, and nothing runs: %s", async (_, script) => {
    expect(checkCode("python", script)).toEqual([]);
    const values = Object.fromEntries(
      Object.entries(HOSTILE_VALUES).map(([name, value]) => [
        name,
        value.replaceAll("/tmp/bellhop-pwned", `${directory}/executed`),
      ]),
    );
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
    ['x = f"{{v}}"', "name = "],
    ['x = F"{{v}}"', "prefix F"],
    ['x = f"{ {{v}} }"', "prefix f"],
    ['x = f"""{{v}}"""', "prefix f"],
    ['x = rf"{{v}}"', "prefix rf"],
    ['x = t"{{v}}"', "prefix t"],
    ['x = rb"{{v}}"', "encode()"],
    ['x = r"a\\{{v}}"', "backslash"],
    ['x = r"""a"{{v}}"""', "raw string"],
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
    ["x = {{v}} 5", "operator"],
    ["x = y {{v}}", "operator"],
    ['x = "a" {{v}}', "operator"],
    ["x = [{{v}}\n{{v}}]", "operator"],
    ["{{v}} = 1", "assigned"],
    ["f({{v}}=1)", "assigned"],
    ["match x:\n  case {{v}}: pass", "pattern"],
    ['match x:\n  case "{{v}}": pass', "pattern"],
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
    ["subprocess.run(['bash', '-c', '%s' % {{v}}])", "run the value as code"],
    ["subprocess.run(['bash', '-c', str({{v}})])", "run the value as code"],
    ["run = eval\nrun({{v}})", "put together while it runs"],
    ["list(map(eval, [{{v}}]))", "put together while it runs"],
    ['subprocess.run(["ssh", "host", {{v}}])', "ssh"],
    ["x = {{v}}\neval(x)", "put together while it runs"],
    ["name = {{v}}\nos.system(f'restart {name}')", "put together while it runs"],
    ["name = {{v}}\nos.system('restart ' + name)", "put together while it runs"],
    ["name = {{v}}\nsubprocess.run(f'restart {name}', shell=True)", "put together while it runs"],
    ["c = {{v}}\nsubprocess.run(['bash', '-c', c])", "put together while it runs"],
    ["h = {{v}}\nsubprocess.run(['ssh', h, 'uptime'])", "put together while it runs"],
    ["x = {{v}}\ncursor.execute(f'select {x}')", "put together while it runs"],
    ["x = {{v}}\ncursor.execute('select ' + x)", "put together while it runs"],
    ["subprocess.run([{{v}}])", "name the program"],
    ["subprocess.run({{v}})", "name the program"],
    ['subprocess.check_output(args=["{{v}}", "x"])', "name the program"],
    ["getattr(x, {{v}})()", "attribute"],
    ["pickle.loads({{v}}.encode())", "pickle"],
    ["yaml.load({{v}})", "yaml"],
    ["compile({{v}}, 'x', 'exec')", "compile"],
    ["jinja2.Template({{v}}).render()", "Template"],
    ["timeit.timeit({{v}})", "timeit"],
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
