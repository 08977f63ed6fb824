import { describe, expect, test } from "bun:test";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { renderCode, checkCode } from "../../worker/domain/template/index.ts";
import type { WordLanguage } from "../../worker/domain/template/in-place.ts";
import { TemplateFailure } from "../../worker/domain/template/failure.ts";
import { Steps } from "../../worker/domain/steps.ts";

function problems(language: CodeLanguage | "unknown", text: string): string[] {
  return checkCode(language, text, new Set(), new Steps()).problems.map(({ message }) => message);
}

function render(language: WordLanguage, text: string, value: JsonValue | undefined, names: string[] = []): string {
  try {
    return renderCode(language, text, () => value, new Set(names));
  } catch (error) {
    if (error instanceof TemplateFailure) return error.failure.code;
    throw error;
  }
}

describe("a word in place", () => {
  test.each<[WordLanguage, string, JsonValue | undefined, string]>([
    // Alone: between blanks, quotes, = and line ends.
    ["bash", "ls {{x}}", "srv/app-1:2.0_b", "ls srv/app-1:2.0_b"],
    ["bash", "ls '{{x}}' \"a {{x}}\" A={{x}}\n{{x}}", "a/b", "ls 'a/b' \"a a/b\" A=a/b\na/b"],
    ["bash", "ls {{x}}", 5, "ls 5"],
    ["bash", "ls {{x}}", true, "ls true"],
    ["bash", "ls {{x}}", "_a", "ls _a"],
    ["bash", "ls {{x}}", "a".repeat(256), `ls ${"a".repeat(256)}`],
    ["bash", "ls {{x}}", undefined, "ls "],
    ["bash", "ls /srv/{{x}}/*", null, "ls /srv//*"],
    ["bash", "ls {{x}}", "", "ls "],
    ["bash", "ls {{x | int}}", "-5", "ls -5"],
    ["bash", "ls {{x | number}}", "-2.5", "ls -2.5"],
    ["bash", 'ls {{x | oneOf:"a b","c"}}', "c", "ls c"],
    ["bash", "ls {{x | trim}}", "a\n", "ls a"],
    ["bash", "ls {{x | lower}}", "ABC", "ls abc"],
    // Touching other text.
    ["bash", "ls /srv/{{x}}.log app-{{x}} {{x}}{{x}}", "v1.2-b", "ls /srv/v1.2-b.log app-v1.2-b v1.2-bv1.2-b"],
    ["bash", "ls v{{x}}", "-rc.1", "ls v-rc.1"],
    ["python", "print('{{x}}')", "a/b", "print('a/b')"],
    ["powershell", 'Get-Service "{{x}}"', "web", 'Get-Service "web"'],
    ["cmd", "sc stop {{x}}", "web-1.2_a", "sc stop web-1.2_a"],
    ["cmd", "copy {{x}}.txt", "null", "copy null.txt"],
  ])("%s %j with %j becomes %j", (language, text, value, expected) => {
    expect(render(language, text, value)).toBe(expected);
  });

  test.each<[WordLanguage, string, JsonValue]>([
    ...[..."\0\t\n\r !\"#$%&'()*+,;<=>?@[\\]^`{|}~é\u2028\u00a0１"].map((char): [WordLanguage, string, JsonValue] => [
      "bash",
      "ls {{x}}",
      `a${char}b`,
    ]),
    ["bash", "ls {{x}}", "a".repeat(257)],
    ["bash", "ls {{x}}", "-rf"],
    ["bash", "ls {{x}}", -5],
    ["bash", "ls {{x}}", ".hidden"],
    ["bash", "ls {{x}}", "/etc"],
    ["bash", "ls {{x}}", ":a"],
    ["bash", "ls {{x}}", "a//b"],
    ["bash", "ls {{x}}", "http:/x"],
    ["bash", "ls {{x}}", "a/../b"],
    ["bash", "ls {{x}}", "a/."],
    ["bash", "ls {{x}}", "host:.."],
    ["bash", "ls {{x}}", "a\n"],
    ["bash", "ls {{x}}", 1.5],
    ["bash", "ls {{x}}", 2 ** 60],
    ["bash", "ls {{x}}", [1]],
    ["bash", "ls {{x}}", { a: 1 }],
    ["bash", "ls {{x | int}}", "5;id"],
    ["bash", 'ls {{x | oneOf:"a","b"}}', "c"],
    ["bash", 'ls {{x | oneOf:"a b","c"}}', "a b"],
    ["bash", "ls {{x | json}}", "a"],
    ["bash", "ls v{{x}}", "a/b"],
    ["bash", "ls v{{x}}", "a:b"],
    ["bash", "ls /srv/{{x}}/log", ".."],
    ["bash", "ls /srv/.{{x}}", "."],
    ["bash", "ls {{x}}.log", "-a"],
    ["bash", "ls {{x}}{{y}}", "-a"],
    ["bash", "ls {{x}};", "a/b"],
    ["python", "print('{{x}}')", "a'b"],
    ["powershell", 'echo "{{x}}"', "a$b"],
    ["cmd", "type {{x}}", "a/b"],
    ["cmd", "type {{x}}", "C:x"],
    ["cmd", "type {{x}}", "nul"],
    ["cmd", "type {{x}}", "Con.txt"],
    ["cmd", "type {{x}}1", "COM"],
    ["cmd", 'type N"{{x}}"', "UL"],
    ["cmd", "type C:{{x}}", "nul"],
    ["cmd", 'type "{{x}}"', "a b"],
  ])("%s %j takes no %j: unsafe_value", (language, text, value) => {
    expect(render(language, text, value)).toBe("unsafe_value");
  });

  test("required fails with empty_value at any place in the text", () => {
    for (const value of ["", null, undefined]) {
      expect(render("bash", "rm -rf /srv/{{x | required}}", value)).toBe("empty_value");
    }
  });

  test.each([
    ["n={{x}}", "TITLE"],
    ["n=TI{{x}}", "TLE"],
    ["n={{x}}LE", "TIT"],
    ["n={{x}}", "a-TITLE"],
    ["n=TI'{{x}}'", "TLE"],
    ["n='TI'\"{{x}}\"", "TLE"],
    ["n=TI\\\n{{x}}", "TLE"],
    ["n={{x}}\\\nLE", "TIT"],
    ["n={{x}}", "_"],
  ])("a shell word may not name a variable of env, which arithmetic would evaluate: %s with %s", (text, value) => {
    expect(render("bash", text, value, ["TITLE"])).toBe("unsafe_value");
    expect(render("sh", text, value, ["TITLE"])).toBe("unsafe_value");
    expect(render("bash", "echo {{x}}", "TITLES", ["TITLE"])).toBe("echo TITLES");
  });

  test.each([
    ["cat <<EOF\n{{x}}\nid\nEOF", "EOF"],
    ["cat <<-'EOF'\n\t{{x}}\nid\nEOF", "EOF"],
    ['cat <<"A B"\n{{x}} B\nid\nA B', "A"],
    ["sh -c 'cat <<\\EOF\nE{{x}}\nid\nEOF\n'", "OF"],
    ["cat <<EOF\n{{y}}EOF\nid\nEOF", ""],
    ["echo {{x}}>f", "2"],
    ["echo {{x}}<f", "0"],
    ["if a; then\n{{x}}\nid\nfi", "fi"],
    ["b; {{x}}", "done"],
  ])("a shell word may not end a here-document, redirect or be a reserved word: %j with %j", (text, value) => {
    expect(render("bash", text, value)).toBe("unsafe_value");
  });

  test.each([
    ["cat <<EOF\n{{x}} here\ndone\nEOF", "EOF"],
    ["cat <<<{{x}}", "EOF"],
    ["echo {{x}} >f", "2"],
    ["echo {{x}}>f", "a2"],
    ["echo {{x}}", "done"],
    ["cat <<EOF\n{{x}}\nEOF", "done"],
  ])("a reserved word or digit may be a plain argument: %j with %j", (text, value) => {
    expect(render("bash", text, value)).toBe(text.replace("{{x}}", value));
  });

  test("a refusal names the template, its line, the first forbidden character and the fixes", () => {
    try {
      renderCode("bash", "true\necho {{webhook.title | upper}}", () => "disk; full", new Set());
      throw new Error("the value was not refused");
    } catch (error) {
      const message = error instanceof TemplateFailure ? error.failure.message : String(error);
      for (const part of [
        "line 2",
        "{{webhook.title | upper}}",
        'character 5 is ";"',
        "| int",
        "| oneOf",
        "env",
        "data",
      ]) {
        expect(message).toContain(part);
      }
      expect(message).not.toContain("DISK");
    }
    expect(() => renderCode("bash", "echo {{x}}", () => "a\r\n", new Set())).toThrow("| trim");
  });
});

describe("code that is saved", () => {
  test.each<[CodeLanguage, string]>([
    ["bash", "systemctl restart {{x}}"],
    ["bash", `echo "a {{x}} b" '{{x}}' app-{{x}}.tgz /srv/{{x}} v{{x}} {{x}}{{x}} --name={{x}}`],
    ["bash", 'if [ "{{x}}" = prod ]; then echo "\\033[31m{{x}}\\033[0m"; fi'],
    ["bash", "[[ {{x}} == prod ]] && ls ./-{{x}} [a-z]*{{x}}"],
    ["bash", "echo $(( {{x | int}} + 1 )) && let n={{x | int}}"],
    ["bash", 'a[{{x | int}}]=1; echo ${a[{{x | oneOf:"1","2"}}]}'],
    ["bash", "local out=$(grep -i '{{x}}' f)"],
    ["bash", "i=$((i + 1))\necho {{x}}"],
    ["bash", "(\n((i++))\n)\necho {{x}}"],
    ["bash", "tar {{x | required}}-{{y}}"],
    ["bash", "echo -ne '{{x}}'; ls -lt {{x}}; perl -ne 'print' {{x}}"],
    ["bash", "# {{x}}\ncat <<EOF\n{{x}}\nEOF"],
    ["python", "import os\nprint('{{x}}', \"{{x}}\", r'{{x}}', b'{{x}}', '''\n{{x}}\n''')"],
    ["python", "x = f'{a}' + 'it\\'s {{x}}'  # it's"],
    ["powershell", 'Get-Service "{{x}}"; echo \'{{x}}\' "$a {{x}}" # don\'t'],
    ["powershell", 'echo @"\nsay "{{x}}"\n"@ @\'\n{{x}}\n\'@ a#b "`"{{x}}"'],
    ["powershell", 'echo "now: $(Get-Date -Format \'u\')"\necho "{{x}}"'],
    ["cmd", "sc stop {{x}} & echo done"],
    ["sql", "select * from t where a = {{x}} and b in ({{y}}, {{z | int}}) -- it's\n/* \" */ and c = 'it''s'"],
    ["sql", "select a::text, b[1:2], '{\"a\":1}'::jsonb from t where c = {{x}}"],
  ])("%s takes %j", (language, text) => {
    expect(problems(language, text)).toEqual([]);
  });

  test.each<[CodeLanguage | "unknown", string, number]>([
    ...[..."$\\`{%!~&-"].map((char): [CodeLanguage, string, number] => ["bash", `echo ${char}{{x}}`, 1]),
    ["bash", "ls --{{x}} '-{{x}}' {{x}}-{{x}}", 3],
    ["bash", "echo $(( {{x}} + 1 ))", 1],
    ["bash", "n={{x}}; echo $((n))", 1],
    ["bash", "((\n{{x}}\n))", 1],
    ["bash", "$[ {{x}} ]", 1],
    ["bash", "let n={{x}}", 1],
    ["bash", "declare -i n\nn={{x}}", 1],
    ["bash", "typeset -a -xi n\necho {{x}}", 1],
    ["bash", '[ "$a" -gt {{x}} ]', 1],
    ["bash", 'test "$a" -gt {{x}}', 1],
    ["bash", "[[ {{x}} -eq 1 ]]", 1],
    ["bash", "echo ${a:{{x}}} ${a/{{x}}/b} ${!{{x}}}", 3],
    ["bash", "a[{{x}}]=1; echo ${a[{{x}}]} ${a[b[{{x}}]]}", 3],
    ["bash", "ls [{{x}}]", 1],
    ["sh", "echo $(({{x | lower}}))", 1],
    ["sh", "cat <<{{x}} <<-'E{{x}}' << {{x}}", 3],
    ["python", "print({{x}})", 1],
    ["python", "# {{x}}", 1],
    ["python", "f'{{x}}' + rf\"{{x}}\" + F'''{{x}}''' + t'{{x}}'", 4],
    ["python", "x = 'not closed\nprint('{{x}}')", 1],
    ["python", 'x = f"{d["a"]} {{x}}"', 1],
    ["python", "'\\{{x}}'", 1],
    ["powershell", "Stop-Service {{x}}", 1],
    ["powershell", '"{{x}} $(Get-Date)" + "$("{{x}}")"', 2],
    ["powershell", '"a $(foo "b" {{x}} "c")"', 1],
    ["powershell", "<# {{x}} #> # {{x}}", 2],
    ["powershell", "${a{{x}}}", 1],
    ["powershell", 'echo "open {{x}}', 1],
    ["powershell", 'cmd --% "{{x}}"', 1],
    ["cmd", "echo %{{x}}%", 1],
    ["unknown", "print '{{x}}'", 1],
    ["sql", "select '{{x}}', \"{{x}}\", `{{x}}`, $$ {{x}} $$, $a$ {{x}} $a$", 5],
    ["sql", "select 1 -- {{x}}\n/* {{x}} */", 2],
    ["sql", "select * from t_{{x}} where {{x}}{{x}} and a.{{x}}", 4],
    ["sql", "select ':a' where b = :a and c = {{x}}", 1],
    ["sql", "select {{x}}, :bellhop_value_1", 2],
    ["sql", "select 'a\\' , {{x}}'", 2],
    ["sql", "select {{x}}, 'open", 1],
    ["bash", "a\0b {{x}}", 1],
  ])("%s refuses %j in %d places", (language, text, count) => {
    expect(problems(language, text)).toHaveLength(count);
  });

  test("code of more than 200,000 bytes is refused for its size, with or without templates", () => {
    expect(problems("bash", "x".repeat(200_000))).toEqual([]);
    expect(problems("bash", "é".repeat(100_001))).toEqual([expect.stringContaining("200000")]);
  });
});
