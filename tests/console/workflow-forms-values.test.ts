import { describe, expect, test } from "bun:test";
import { inPlace } from "../../console/workflow-forms/named-value.ts";
import { referenceTo } from "../../worker/domain/graph/name-for-value.ts";
import { nameFor } from "../../worker/domain/graph/name-for-value.ts";
import { isInsideQuotes } from "../../console/workflow-forms/quotes.ts";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

/** `▮` marks the cursor. */
const INSIDE: [CodeLanguage | "unknown", string][] = [
  ["bash", 'echo "▮"'],
  ["bash", "echo '▮"],
  ["bash", 'echo "a\nb▮'],
  ["bash", 'echo "it\'s ▮"'],
  ["bash", 'echo "say \\" ▮'],
  ["bash", "echo $'it\\'s ▮'"],
  ["bash", 'x="$(echo "▮'],
  ["bash", 'x="$(date ▮'],
  ["bash", "echo `date ▮`"],
  ["bash", "cat <<EOF\nhello ▮\nEOF"],
  ["bash", "cat <<'EOF'\ndon't\nEOF\necho 'a ▮"],
  ["bash", "bash -c 'echo ▮'"],
  ["bash", "echo {{webhook.▮"],
  ["sh", 'echo "{{webhook["a"]}} ▮"'],
  // Uncertain positions count as inside.
  ["bash", "echo hi # don't ▮"],
  ["bash", 'echo "a\nb" ▮'],
  ["powershell", 'Write-Host "▮"'],
  ["powershell", "Write-Host 'it''s ▮'"],
  ["powershell", 'Write-Host "`" ▮"'],
  ["powershell", "Write-Host “▮”"],
  ["powershell", '$x = @"\nhello ▮\n"@'],
  ["python", 'print("▮")'],
  ["python", 'x = """say "it" ▮"""'],
  ["python", "x = '''it's\n▮'''"],
  ["python", "print('it\\'s ▮')"],
  ["sql", "SELECT '▮'"],
  ["sql", "SELECT 'it''s ▮"],
  ["sql", "SELECT 'a\\' ▮'"],
  ["sql", 'SELECT "▮"'],
  ["sql", "SELECT 1 -- ▮"],
  ["sql", "SELECT /* ▮ */ 1"],
  ["sql", "DO $$ ▮ $$"],
  ["cmd", 'echo "▮"'],
];
const OUTSIDE: [CodeLanguage | "unknown", string][] = [
  ["bash", "▮"],
  ["bash", "echo ▮"],
  ["bash", 'echo "a" ▮'],
  ["bash", 'echo \\" ▮'],
  ["bash", "# don't\necho ▮"],
  ["bash", 'cd "$(dirname "$0")"\necho ▮'],
  ["bash", "cat <<EOF\ndon't\nEOF\necho ▮"],
  ["bash", "cat <<-'END' | sort\n\tit's\n\tEND\necho ▮"],
  ["bash", "cat <<<a ▮"],
  ["bash", "echo $'a\\'b' ▮"],
  ["bash", 'echo ${#x} "$#" ▮'],
  ["bash", 'echo {{webhook["host name"]}} {{"{{"}} ▮'],
  ["bash", 'echo {{webhook.x | default:"it\'s"}} ▮'],
  ["powershell", "# don't\nWrite-Host 'it''s' \"a `\" b\" ▮"],
  ["powershell", '$x = @"\nsay "it\'s"\n"@\nWrite-Host ▮'],
  ["python", "# don't\nprint(▮"],
  ["python", 'x = """say "it\'s" """\nprint(▮'],
  ["python", "x = ''\nprint('it\\'s', ▮"],
  ["sql", "SELECT 'it''s' -- don't\n WHERE id = ▮"],
  ["cmd", 'echo "a" ▮'],
];

describe("a cursor in code", () => {
  test.each(INSIDE)("is inside quotes in %s: %j", (language, marked) =>
    expect(isInsideQuotes(marked.replace("▮", ""), marked.indexOf("▮"), language)).toBe(true),
  );
  test.each(OUTSIDE)("is outside of quotes in %s: %j", (language, marked) =>
    expect(isInsideQuotes(marked.replace("▮", ""), marked.indexOf("▮"), language)).toBe(false),
  );
});

describe("a named value of code", () => {
  test.each([
    [["webhook", "title"], "env", {}, "TITLE"],
    [["webhook", "host name"], "env", {}, "HOST_NAME"],
    [["webhook", "path"], "env", {}, "WEBHOOK_PATH"],
    [["webhook", "uid"], "env", {}, "WEBHOOK_UID"],
    [["foreach", "item", "0"], "env", {}, "ITEM_0"],
    [["webhook", "größe"], "env", {}, "GR_E"],
    [["вебхук"], "env", {}, "VALUE"],
    [["webhook", "title"], "env", { title: "x" }, "TITLE_2"],
    [["webhook", "title"], "env", { TITLE: "x", TITLE_2: "{{webhook.title}}" }, "TITLE_2"],
    [["webhook", "title"], "parameters", {}, "title"],
    [["webhook", "path"], "parameters", {}, "path"],
    [["webhook", "bellhop_x"], "parameters", {}, "webhook_bellhop_x"],
  ] satisfies [string[], "env" | "parameters", JsonObject, string][])(
    "for %j in %s, besides %j, is named %s",
    (path, kind, present, name) => expect(nameFor(path, `{{${path.join(".")}}}`, kind, present)).toBe(name),
  );

  test.each([
    ["sh", '"$TITLE"', "{{a.b}}"],
    ["powershell", "$env:TITLE", "'{{a.b}}'"],
    ["python", 'os.environ["TITLE"]', "'{{a.b}}'"],
    ["sql", ":TITLE", "{{a.b}}"],
    ["cmd", undefined, "{{a.b}}"],
    ["unknown", undefined, null],
  ] as const)("is read in %s as %s, and the template in the code is %s", (language, reference, template) => {
    expect(referenceTo("TITLE", language) ?? undefined).toBe(reference);
    expect(inPlace("{{a.b}}", language)).toBe(template);
  });
});
