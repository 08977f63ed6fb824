import { describe, expect, test } from "bun:test";
import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Fix } from "../../schema/contract/problem.ts";
import { checkParams } from "../../worker/domain/graph/params.ts";
import { Steps } from "../../worker/domain/steps.ts";

/** The warnings and problems of a script that have a fix, and the parameters after the fix. */
function fixed(
  params: JsonObject,
  kind: "problems" | "warnings" = "warnings",
  action: ActionName = "script.bash",
): (JsonObject | null)[] {
  const found = checkParams(action, params, "params", new Steps())[kind];
  return found.map(({ fix }) => (fix === undefined ? null : applied(params, fix)));
}

function applied(params: JsonObject, { edits }: Fix): JsonObject {
  const made: JsonObject = structuredClone(params);
  for (const { path, start, end, value } of edits.toReversed()) {
    const [, name = "", member] = path.split(".");
    if (member !== undefined) made[name] = { ...Object(made[name]), [member]: value };
    else {
      const text = String(made[name]);
      made[name] = text.slice(0, start) + value + text.slice(end);
    }
  }
  return made;
}

describe("warnings", () => {
  test("free text in place gets a warning, with env as the fix where the template is a whole word or string", () => {
    expect(fixed({ script: "notify {{incident.title}} now" })).toEqual([
      { script: 'notify "$TITLE" now', env: { TITLE: "{{incident.title}}" } },
    ]);
    expect(fixed({ script: "notify {{ incident.title }}", env: { T: "{{ incident.title }}" } })).toEqual([
      { script: 'notify "$T"', env: { T: "{{ incident.title }}" } },
    ]);
    expect(fixed({ script: "TITLE=1 x {{incident.title}}" })[0]?.["env"]).toEqual({
      TITLE_2: "{{incident.title}}",
    });
    for (const quote of ['"', "'"]) {
      expect(fixed({ script: `notify ${quote}{{incident.title}}${quote} now` })).toEqual([
        { script: 'notify "$TITLE" now', env: { TITLE: "{{incident.title}}" } },
      ]);
    }
    expect(fixed({ script: 'x {{incident.description | oneOf:"a"}} {{incident.id}}' })).toEqual([]);
  });

  test.each([
    'notify "New: {{incident.title}}"',
    'notify x"{{incident.title}}"',
    'notify "{{incident.title}}"; x',
    'x="{{incident.title}}"',
    '"{{incident.title}}" now',
    'x && "{{incident.title}}" now',
    'cat <<EOF\n "{{incident.title}}" \nEOF',
    'sh -c "{{incident.title}}"',
    'bash -lc "{{incident.title}}"',
    "x -e '{{incident.title}}'",
    'local "{{incident.title}}"',
    "typeset {{incident.title}}",
    "readonly {{incident.title}}",
    'mapfile "{{incident.title}}"',
    'if x; then "{{incident.title}}" now; fi',
    'if ! "{{incident.title}}"; then x; fi',
    'case $x in a) "{{incident.title}}" now;; esac',
    '{ "{{incident.title}}" now; }',
    'MODE=1 "{{incident.title}}" now',
    'run() { eval "$1"; }\nrun "{{incident.title}}"',
    'run() {\n  bash -c "$1"\n}\nrun "{{incident.title}}"',
    'big() { [[ $1 -gt 3 ]]; }\nbig "{{incident.title}}"',
    'x="\n "{{incident.title}}" \n"',
    "notify a{{incident.title}}",
    "notify {{incident.title}};",
    "cat <<EOF\n {{incident.title}} \nEOF",
    'x="\n {{incident.title}} \n"',
    "ssh host notify {{incident.title}}",
    "sh -c notify {{incident.title}}",
    "eval notify {{incident.title}}",
    "x=$(notify {{incident.title}} )",
    "x=$(\nnotify {{incident.title}}\n)",
    "[[ {{incident.title}} == a ]]",
    "`notify {{incident.title}} `",
  ])("no fix is offered in %j", (script) => {
    expect(fixed({ script })).toEqual([null]);
  });

  test.each<[ActionName, string, string]>([
    ["ssh.executeCommand", "notify '{{incident.title}}'", 'notify "$TITLE"'],
    ["ssh.executeScript", "notify {{incident.title}}", 'notify "$TITLE"'],
    ["script.powershell", "$title = '{{incident.title}}'", "$title = $env:TITLE"],
    ["winrm.executeScript", 'Send-Note -Text "{{incident.title}}" -To ops', "Send-Note -Text $env:TITLE -To ops"],
    ["winrm.executeScript", "Note(\"{{incident.title}}\", 1)\n'x'", "Note($env:TITLE, 1)\n'x'"],
    ["script.python", 'import os\nprint("{{incident.title}}")', 'import os\nprint(os.environ["TITLE"])'],
    [
      "script.python",
      'import sys, os\nx = {"a": "{{incident.title}}"}',
      'import os\nimport sys, os\nx = {"a": os.environ["TITLE"]}',
    ],
    [
      "script.python",
      'import a # os\nreturn "{{incident.title}}"',
      'import os\nimport a # os\nreturn os.environ["TITLE"]',
    ],
    [
      "script.python",
      'import os.path as p\nx("{{incident.title}}")',
      'import os\nimport os.path as p\nx(os.environ["TITLE"])',
    ],
    [
      "script.python",
      'if x:\n  import os\ny("{{incident.title}}")',
      'import os\nif x:\n  import os\ny(os.environ["TITLE"])',
    ],
    ["script.python", 'import os, sys # a\ny("{{incident.title}}")', 'import os, sys # a\ny(os.environ["TITLE"])'],
    [
      "script.python",
      "#!/usr/bin/env python3\nnotes = [\n  '{{incident.title}}',\n]\n",
      '#!/usr/bin/env python3\nimport os\nnotes = [\n  os.environ["TITLE"],\n]\n',
    ],
  ])("%s passes the free text of %j in env, in the words of its language", (action, script, expected) => {
    const code = action === "ssh.executeCommand" ? "command" : "script";
    expect(fixed({ [code]: script }, "warnings", action)).toEqual([
      { [code]: expected, env: { TITLE: "{{incident.title}}" } },
    ]);
  });

  test.each<[ActionName, string]>([
    ["script.powershell", "Write-Output {{webhook.text}}"],
    ["script.python", "print({{webhook.text}})"],
    ["winrm.executeScript", "if ($x -eq {{webhook.text}}) { }"],
  ])("%s: a template outside of strings gets env as the fix in %j", (action, script) => {
    const reference = action === "script.python" ? 'os.environ["TEXT"]' : "$env:TEXT";
    const start = action === "script.python" ? "import os\n" : "";
    expect(fixed({ script }, "problems", action)).toEqual([
      { script: start + script.replace("{{webhook.text}}", reference), env: { TEXT: "{{webhook.text}}" } },
    ]);
  });

  test.each<[ActionName, string]>([
    ["script.powershell", '"New: {{incident.title}}"'],
    ["script.powershell", "& '{{incident.title}}' -a"],
    ["script.powershell", "x; . '{{incident.title}}'"],
    ["script.powershell", "[Attribute( '{{incident.title}}' )]"],
    ["script.powershell", "@'\n '{{incident.title}}' \n'@"],
    ["script.powershell", "\"say '{{incident.title}}' \""],
    ["script.powershell", "Invoke-Expression '{{incident.title}}'"],
    ["script.powershell", "powershell -Command '{{incident.title}}'"],
    ["script.powershell", "$x.'{{incident.title}}'"],
    ["script.powershell", "powershell '{{incident.title}}'"],
    ["script.powershell", "pwsh -comm '{{incident.title}}'"],
    ["script.powershell", "bash -lc '{{incident.title}}'"],
    ["script.powershell", "cmd /s /k '{{incident.title}}'"],
    ["script.powershell", "$ExecutionContext.InvokeCommand.InvokeScript('{{incident.title}}')"],
    ["script.powershell", "$ps.AddScript('{{incident.title}}')"],
    ["script.powershell", "& ('{{incident.title}}') -a"],
    ["script.powershell", "&$('{{incident.title}}')"],
    ["script.powershell", "& (\n  '{{incident.title}}'\n)"],
    ["script.powershell", ". ('{{incident.title}}')"],
    ["script.powershell", "Start-Process '{{incident.title}}'"],
    ["script.powershell", "Import-Module '{{incident.title}}'"],
    ["script.python", 'x = "New: {{incident.title}}"'],
    ["script.python", 'x = "a" "{{incident.title}}"'],
    ["script.python", 'x = ("{{incident.title}}"\n  "b")'],
    ["script.python", 'x = ("a"  # one,\n  "{{incident.title}}")'],
    ["script.python", 'x = b"{{incident.title}}"'],
    ["script.python", '"""{{incident.title}}"""'],
    ["script.python", 'os.system("{{incident.title}}")'],
    ["script.python", 'run(["sh", "-c", "{{incident.title}}"])'],
    ["script.python", 'match x:\n  case "{{incident.title}}": pass'],
    ["script.python", 'match x:\n  case ["{{incident.title}}"]: pass'],
    ["script.python", 'subprocess.run(["bash", "-lc", "{{incident.title}}"])'],
    ["script.python", "subprocess.run(['perl', '-e', '{{incident.title}}'])"],
    ["script.python", 'asyncio.create_subprocess_shell("{{incident.title}}")'],
    ["script.python", 'cursor.execute("{{incident.title}}")'],
    ["script.python", 'os.popen2("{{incident.title}}")'],
    ["script.python", 'os.execvp("{{incident.title}}", [])'],
    ["script.python", 'subprocess.run(["{{incident.title}}", "-a"])'],
    ["script.python", 'subprocess.call(\n  ["{{incident.title}}"])'],
    ["script.python", 'importlib.import_module("{{incident.title}}")'],
    ["script.python", 'timeit.timeit("{{incident.title}}")'],
    ["script.python", 'jinja2.Template("{{incident.title}}")'],
    ["script.python", 'class A(BaseModel):\n  x: "{{incident.title}}"'],
    ["script.python", 'from typing import Optional\nx: Optional["{{incident.title}}"]'],
    ["script.python", 'return"{{incident.title}}"'],
    ["script.python", 'x = y in"{{incident.title}}"'],
    ["script.python", `${"y".repeat(300)} = ["{{incident.title}}"]`],
  ])("%s: no fix is offered in %j", (action, script) => {
    expect(fixed({ script }, "warnings", action)).toEqual([null]);
  });

  test.each<[ActionName, string]>([
    ["script.powershell", "# {{webhook.text}}"],
    ["script.powershell", "$a{{webhook.text}}"],
    ["script.python", "# ({{webhook.text}})"],
    ["script.python", 'f"({{webhook.text}})"'],
    ["script.python", "{{webhook.text}} = 1"],
  ])("%s: no fix is offered for the place that is refused in %j", (action, script) => {
    expect(fixed({ script }, "problems", action)).toEqual([null]);
  });

  test("a search for imports in a script of 200,000 line ends takes no time worth mentioning", () => {
    const script = `${"\n".repeat(199_000)}x = "{{incident.title}}"`;
    const start = performance.now();
    expect(fixed({ script }, "warnings", "script.python")).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test("a word that chooses the program gets a warning, but only outside quotes", () => {
    const warned = (script: string) =>
      checkParams("script.bash", { script }, "params", new Steps()).warnings.map(({ message }) => message);
    for (const script of ["{{x}} -a", "a; {{x}}", "a && b | {{x}}", "( {{x}} )", "a\n  {{x}}"]) {
      expect(warned(script)).toEqual([expect.stringContaining("chooses the program")]);
    }
    for (const script of ["a {{x}}", '"a; {{x}}"', '{{x | oneOf:"a","b"}} -a']) expect(warned(script)).toEqual([]);
  });

  test("a template next to a slash gets a warning, with required as the fix", () => {
    expect(fixed({ script: "rm -rf /srv/{{webhook.x}}/*" })).toEqual([
      { script: "rm -rf /srv/{{webhook.x | required}}/*" },
    ]);
    expect(fixed({ script: 'rm {{webhook.x | default:"a"}}/b /{{webhook.x | required}}' })).toEqual([]);
  });

  test("a number gets int as the fix", () => {
    expect(fixed({ script: "sleep $(( {{webhook.n}} * 2 ))" }, "problems")).toEqual([
      { script: "sleep $(( {{webhook.n | int}} * 2 ))" },
    ]);
  });
});

test("only the first hundred warnings are listed, with the number of further ones", () => {
  const { warnings } = checkParams(
    "script.bash",
    { script: "x {{incident.title}}\n".repeat(5_000) },
    "params",
    new Steps(),
  );
  expect(warnings).toHaveLength(101);
  expect(warnings.at(-1)).toEqual({ path: "", message: "and 4900 more" });
  expect(
    checkParams("script.bash", { script: "x {{webhook.id}}\n".repeat(500) }, "params", new Steps()).warnings,
  ).toEqual([]);
});

test("free text that arithmetic would run gets a warning, with int as the fix", () => {
  const warned = (script: string, env: JsonObject) =>
    checkParams("script.bash", { script, env }, "params", new Steps()).warnings.map(({ path }) => path);
  const env = { N: "{{webhook.n}}", TITLE: "{{incident.title}}" };
  for (const script of ["echo $((N + 1))", '[[ "$N" -gt 3 ]]', "(( $N ))"]) {
    expect(warned(script, env)).toEqual(["params.env.N"]);
    expect(warned(script, { N: "{{webhook.n | int}}" })).toEqual([]);
    expect(warned(script, { N: "5" })).toEqual([]);
  }
  expect(warned('echo $((i + 1)) && [ "$N" -gt 3 ]', env)).toEqual(["params.env.N"]);
  expect(warned('[ "$N" -gt 3 ]; echo "$TITLE"', env)).toEqual([]);
  const { warnings } = checkParams("script.bash", { script: "((N))", env: { N: "{{n}}" } }, "params", new Steps());
  expect(warnings[0]?.fix?.edits).toEqual([{ path: "params.env.N", start: 3, end: 3, value: " | int" }]);
});

test("the fix puts required before a narrowing filter, and a bar in a name is not taken for a filter", () => {
  expect(fixed({ script: "cat /srv/{{webhook.n | int}}" })).toEqual([
    { script: "cat /srv/{{webhook.n | required | int}}" },
  ]);
  expect(fixed({ script: 'cat /srv/{{webhook["a|b"] | int}}' })).toEqual([null]);
});
