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
    ["eval({{v}})", "json.loads"],
    ["x = {{v}}\neval(x)", "ast.literal_eval"],
    ["jinja2.Template({{v}}).render()", "render(name={{…}})"],
    ["from jinja2 import Template\nTemplate({{v}}).render()", "render(name={{…}})"],
    ["ctypes.CDLL({{v}})", "write the library's name itself"],
    ["pickle.loads({{v}}.encode())", "json.loads"],
    ["yaml.load({{v}}, Loader=yaml.Loader)", "yaml.safe_load"],
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

const PROCESS = "import os, sys, shlex, subprocess\n";
const OTHER_PROGRAMS = [
  // The program and its code come from different places.
  'subprocess.run(["bash", "-c"] + [{{v}}])',
  'SH = ["bash", "-c"]\nsubprocess.run(SH + [{{v}}])',
  'SH = ["bash", "-c"]\nsubprocess.run([*SH, {{v}}])',
  'subprocess.run(["bash", *["-c", {{v}}]])',
  'subprocess.run("bash -c".split() + [{{v}}])',
  'args = ["bash", "-c"]\nargs.append({{v}})\nsubprocess.run(args)',
  'args = ["bash"]\nargs.append("-c")\nargs.append({{v}})\nsubprocess.run(args)',
  'args = ["bash"]\nmore = args\nmore += ["-c", {{v}}]\nsubprocess.run(args)',
  'cmd = ["bash", "-lc"]\ncmd += ["echo {{v}}"]\nsubprocess.run(cmd)',
  'sh = "bash"\nsubprocess.run([sh, "-c", {{v}}])',
  'sh = "bash"\nsubprocess.run(["sudo", sh, "-c", {{v}}])',
  'sh = "bash"\nsubprocess.run(["docker", "exec", "web", sh, "-c", {{v}}])',
  'subprocess.run([sys.executable, "-c", "print({{v}})"])',
  'subprocess.run(["x", "-c", {{v}}], executable="/bin/bash")',
  'os.execlp("bash", "bash", {{v}})',
  'os.execvp("bash", ["x", "-c", {{v}}])',
  'subprocess.run(["sudo", "-u", "app", {{v}}])',
  'subprocess.run(["awk", "{{v}}"])',
  'subprocess.run(["bash", "-euo", "pipefail", "-c", {{v}}])',
  'subprocess.run(["bash", "-euo", "pipefail", {{v}}])',
  "def f(xs):\n  yield from map(os.system, xs)\nf([{{v}}])",
  'subprocess.run(["bash", {{v}}])',
  'import sh\nsh.bash("-c", {{v}})',
  'from sh import bash\nbash("-c", {{v}})',
  // It reads its code.
  'subprocess.run(["bash"], input={{v}}, text=True)',
  'subprocess.run("bash", input="{{v}}", text=True)',
  'subprocess.run(["bash", "/dev/stdin"], input="echo {{v}}", text=True)',
  'p = subprocess.Popen(["sh"], stdin=-1)\np.communicate({{v}}.encode())',
  'cmd = ["sh"]\np = subprocess.Popen(cmd, stdin=-1)\np.stdin.write({{v}}.encode())',
  // A value becomes the list, or the program.
  "c = {{v}}\nsubprocess.run(c)",
  "c = {{v}}\nsubprocess.run(c.split())",
  'c = "{{v}}"\nsubprocess.run(shlex.split(c))',
  "c, d = {{v}}.split(), 1\nsubprocess.run(c)",
  "(c, d) = {{v}}.split(), 1\nsubprocess.run(c)",
  "for c in [{{v}}]:\n  subprocess.run(c)",
  "def f(c):\n  subprocess.run(c)\nf([{{v}}])",
  'c = ["echo"]\nc[0] = {{v}}\nsubprocess.run(c)',
  'c = ["echo"]\nc.insert(0, {{v}})\nsubprocess.run(c)',
  'c = ["echo"]\nc = {{v}}.split()\nsubprocess.run(c)',
  "r = subprocess.run\nr([{{v}}])",
  // With a shell, by another way.
  "kw = dict(shell=True)\ncmd = {{v}}\nsubprocess.run(cmd, **kw)",
  'kw = {}\nkw["shell"] = True\nsubprocess.run(["echo {{v}}"], **kw)',
  "cmd = {{v}}\nsubprocess.run(cmd, 0, None, None, None, None, None, True, True)",
  // By way of a file.
  'open("s.sh", "w").write("echo {{v}}")\nsubprocess.run(["bash", "s.sh"])',
  'with open("/tmp/s.sh", "w") as f:\n  f.write("echo {{v}}")\nos.system("sh /tmp/s.sh")',
  'open("s.sh", "w").write("echo {{v}}")\nsubprocess.run(["./s.sh"])',
  'open("s.py", "w").write({{v}})\nimport s',
  'open("s.py", "w").write({{v}})\nimport runpy\nrunpy.run_path("s.py")',
  // By way of the environment.
  'os.environ["X"] = {{v}}\nos.system("eval $X")',
  'os.environ["N"] = {{v}}\nos.system("bash -c \'echo $((N))\'")',
  'os.environ["BASH_ENV"] = {{v}}\nos.system("bash -c true")',
  'subprocess.run(["bash", "-c", "eval \\"$X\\""], env=dict(os.environ, X={{v}}))',
  'os.environ["X"] = {{v}}\nsubprocess.run(["python3", "-c", "import os; exec(os.environ[\'X\'])"])',
];
const OTHER_CODE: readonly (readonly [script: string, why: string])[] = [
  ["from pickle import loads\nloads({{v}}.encode())", "json.loads"],
  ["from pickle import loads as l\nl({{v}}.encode())", "json.loads"],
  ["import pickle as p\np.loads({{v}}.encode())", "json.loads"],
  ["import pickle, io\npickle.load(io.BytesIO({{v}}.encode()))", "json.loads"],
  ["import pickle, io\npickle.Unpickler(io.BytesIO({{v}}.encode())).load()", "json.loads"],
  ["from yaml import load, Loader\nload({{v}}, Loader=Loader)", "yaml.safe_load"],
  ["from yaml import (\n  unsafe_load as l,\n)\nl({{v}})", "yaml.safe_load"],
  ["from timeit import timeit\ntimeit({{v}}, number=1)", "written out"],
  ["from pickle import *\nloads({{v}}.encode())", "import the names themselves"],
  ["import os\nf = os.system\nf({{v}})", "call it by its name"],
  ['import os\ngetattr(os, "system")({{v}})', "handed on as a whole"],
  ['import os as o\ngetattr(o, "system")({{v}})', "handed on as a whole"],
  ["import os\nm = os\nx = {{v}}\nm.system", "handed on as a whole"],
  ['getattr(__builtins__, "ev" + "al")({{v}})', "cannot be followed"],
  ['getattr(f(), "system")({{v}})', "call functions by their names"],
  ['import os\nos.__dict__["system"]({{v}})', "cannot be followed"],
  ['import os\nvars(os)["system"]({{v}})', "handed on as a whole"],
  ['import os\nf = globals()["e" + "val"]\nf({{v}})', "cannot be followed"],
  ['x = {{v}}\nexec("import os; os.system(x)")', "write the code itself"],
  ['x = {{v}}\neval("eval(x)")', "write the code itself"],
  ['x = {{v}}\nexec("ev\\x61l(x)")', "write the code itself"],
  ['x = {{v}}\ny = f"{eval(x)}"', "f-string"],
  ["\uff45val({{v}})", "would run the value as code"],
  ["import os\nos.\u017fystem({{v}})", "would run the value as code"],
  ["x = {{v}}\n\u{1d41e}val(x)", "put together while it runs"],
  ['import paramiko\nx = {{v}}\nc.exec_command(f"ls {x}")', "ssh.executeCommand"],
  ['c.exec_command("ls {{v}}")', "ssh.executeCommand"],
  ['from fabric import Connection\nConnection("h").run("ls {{v}}")', "ssh.executeCommand"],
  ['from invoke import run\nrun("ls {{v}}")', "subprocess.run"],
  ["import pty\npty.spawn({{v}})", "name the program"],
  ["q = \"select '{{v}}'\"\nc.execute(q)", "as parameters"],
  ["x = {{v}}\nq = f\"select '{x}'\"\nc.execute(q)", "as parameters"],
  ['x = {{v}}\nq = "select "\nq += x\nc.execute(q)', "as parameters"],
  ['x = {{v}}\nc.execute(f"delete from {table} where id = ?", (x,))', "choose between written-out queries"],
];

describe("scripts that would run a value by a longer way", () => {
  test.each([...OTHER_PROGRAMS])("%s", (script) => {
    expect(checkCode("python", PROCESS + script)).not.toEqual([]);
  });
  test.each([...OTHER_CODE])("%s", (script, why) => {
    expect(checkCode("python", script).join("\n")).toContain(why);
  });
});

describe("scripts that only look so", () => {
  test.each([
    'cur.execute("select * from t where a = %s", ("{{v}}",))',
    'cur.execute(query, ("{{v}}",))',
    'q = "select * from t where a = %s"\ncur.execute(q, ["{{v}}"])',
    'cur.executemany("insert into t values (?)", [("{{v}}",)])',
    'subprocess.run(["kubectl", "get", *args, {{v}}])',
    'subprocess.run(["ping", "-c", "{{n}}", host])',
    'subprocess.run(["sudo", "-u", user, "systemctl", "restart", {{v}}], check=True)',
    'cmd = ["kubectl", "get", "pods"]\nif ns:\n  cmd += ["-n", {{v}}]\ncmd.append("-o=json")\nsubprocess.check_output(cmd)',
    'subprocess.run(["bash", "deploy.sh", {{v}}])',
    'subprocess.run(["bash", "-euo", "pipefail", "deploy.sh", {{v}}])',
    'subprocess.run("df -h / | tail -1", shell=True)\nprint({{v}})',
    'subprocess.run(["grep", "-e", {{v}}, path], env={**os.environ, "LANG": "C"})',
    'os.environ["X"] = {{v}}\nos.system("echo \\"$X\\"")',
    'subprocess.run(["./run", {{v}}], env=dict(os.environ, HOST={{v}}))',
    'import os as o\nx = o.path.join("a", {{v}})',
    'open("notes.txt", "w").write({{v}})\nsubprocess.run(["bash", "deploy.sh"])',
    "from yaml import safe_load\nx = safe_load({{v}})",
    "import yaml\nx = yaml.load({{v}}, Loader=yaml.SafeLoader)",
    'import string\nx = string.Template("$a").substitute(a={{v}})',
    'x = getattr(args, "name", {{v}})',
    "import asyncio\nasyncio.run(main({{v}}))",
    'subprocess.run(["tee", "log"], input={{v}}, text=True)',
  ])("%s", (script) => {
    expect(checkCode("python", script)).toEqual([]);
  });
});
