import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { loneTemplate, ownValue, parseTemplate, renderData } from "../../worker/domain/template/index.ts";

const VALUES: JsonObject = {
  text: "plain",
  number: 5,
  yes: true,
  nothing: null,
  list: [1, { a: "b" }],
  object: { a: { b: "deep" } },
  quotes: 'a "b" \\ \n',
  address: "a/b?c=d&e=ä #'()",
  dots: "..",
  dot: ".",
  crlf: "a\r\nX-Other: b",
  half: "\ud800",
  commas: ",".repeat(2_000),
};
const resolve = (path: readonly string[]) => ownValue(VALUES, path);

describe("reading templates", () => {
  test.each([
    ["{{a.b.0}}", ["a", "b", "0"]],
    ["{{ a.b }}", ["a", "b"]],
    ["{{nodes.my-node.output}}", ["nodes", "my-node", "output"]],
    ["{{webhook.größe}}", ["webhook", "größe"]],
    ["{{incident.tags.k8s/app-name:2}}", ["incident", "tags", "k8s/app-name:2"]],
    ['{{webhook["host name"].ip}}', ["webhook", "host name", "ip"]],
    ["{{webhook['a.b']['c']}}", ["webhook", "a.b", "c"]],
    ['{{webhook["a\\"b"]}}', ["webhook", 'a"b']],
    ['{{webhook.x | default:"}}" | upper}}', ["webhook", "x"]],
  ])("%s is one template", (text, path) => {
    expect(loneTemplate(text)?.path).toEqual(path);
    expect(parseTemplate(text).problems).toEqual([]);
  });

  test.each([
    ["{{}}"],
    ["{{ }}"],
    ["{{.Names}}"],
    ["{{a..b}}"],
    ["{{a.}}"],
    ["{{a"],
    ['{{"x"}}'],
    ["{{{a}}}"],
    ["{{a\n}}{{b\nc}}"],
    [`{{${"a".repeat(600)}}}`],
    ["{{ range .Items }}"],
    ["{{webhook.two words}}"],
    ["{{upper(webhook.x)}}"],
    ["{{webhook.list[0]}}"],
    ['{{["x"]}}'],
    ["{{webhook.x |}}"],
  ])("%s is refused when it is saved, and the error says how to write two braces", (text) => {
    const { problems, segments } = parseTemplate(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toContain('{{"{{"}}');
    if (problems.length === 1 && !text.includes("{{a\n}}")) {
      expect(segments).toEqual([{ type: "text", text }]);
    }
  });

  test.each(["upcase", "int:5", "default", "default:y", "oneOf", 'split:""'])(
    "a filter written %s is refused when it is saved, and the error says what to write",
    (filter) => {
      const { problems, segments } = parseTemplate(`a {{webhook.x | ${filter}}}`);
      expect(problems).toHaveLength(1);
      expect(problems[0]).not.toContain('{{"{{"}}');
      expect(segments).toEqual([{ type: "text", text: `a {{webhook.x | ${filter}}}` }]);
    },
  );

  test("an unknown filter is refused with the list of filters", () => {
    const [problem] = parseTemplate("{{webhook.x | upcase}}").problems;
    expect(problem).toContain("unknown filter upcase");
    expect(problem).toContain("default, required, trim, json");
  });

  test("more than twenty filters are refused", () => {
    expect(parseTemplate(`{{webhook.x${" | trim".repeat(20)}}}`).problems).toEqual([]);
    expect(parseTemplate(`{{webhook.x${" | trim".repeat(21)}}}`).problems).toEqual([
      expect.stringContaining("more than 20 filters"),
    ]);
  });

  test.each([
    ['{{"{{"}}.Names}}', "{{.Names}}"],
    ["a {{'{{'}} b }} c", "a {{ b }} c"],
    ['{{ "{{" }}{{text}}', "{{plain"],
    ["no braces } { }}", "no braces } { }}"],
  ])("%s becomes %j with literal braces", (text, expected) => {
    expect(parseTemplate(text).problems).toEqual([]);
    expect(renderData(text, resolve)).toBe(expected);
  });
});

describe("a template in data", () => {
  test.each<[JsonValue, JsonValue]>([
    ["{{number}}", 5],
    ["{{yes}}", true],
    ["{{nothing}}", null],
    ["{{list}}", [1, { a: "b" }]],
    ["{{missing}}", ""],
    ["{{object.a.b.c}}", ""],
    ["{{number}} ", "5 "],
    ["<{{nothing}}{{missing}}>", "<>"],
    ["{{list}}!", '[1,{"a":"b"}]!'],
    [{ a: ["{{number}}", { b: "x {{text}}" }] }, { a: [5, { b: "x plain" }] }],
    [{ "{{text}}": 1 }, { "{{text}}": 1 }],
    [7, 7],
  ])("%j becomes %j", (value, expected) => {
    expect(renderData(value, resolve)).toEqual(expected);
  });

  test.each<[JsonValue, JsonValue]>([
    ['{{missing | default:"x"}}', "x"],
    ["{{missing | default:5}}", 5],
    ["{{nothing | default:'none'}}!", "none!"],
    ['{{text | default:"x"}}', "plain"],
    ["{{crlf | trim}}", "a\r\nX-Other: b"],
    ["{{object | json}}", '{"a":{"b":"deep"}}'],
    ["{{text | upper}}", "PLAIN"],
    ["{{text | upper | lower}}", "plain"],
    ["{{crlf | lines}}", ["a", "X-Other: b"]],
    ['{{address | split:"/" | first}}', "a"],
    ['{{address | split:"/" | last | split:"?"}}', ["b", "c=d&e=ä #'()"]],
    ['{{list | join:", "}}', '1, {"a":"b"}'],
    ["{{missing | lines | first | int}}", ""],
    ["{{number | int}}", 5],
    ["n={{number | number}}", "n=5"],
    ["{{yes | bool}}", true],
    ["{{text | name}}", "plain"],
    ['{{text | oneOf:"a","plain"}}', "plain"],
    ["{{text | required}}", "plain"],
  ])("%j becomes %j by its filters", (value, expected) => {
    expect(renderData(value, resolve)).toEqual(expected);
  });

  test.each([
    ["{{missing | required}}", "empty_value"],
    ["{{nothing | required}}", "empty_value"],
    ["a {{text | int}} b", "invalid_value"],
    ["{{quotes | name}}", "invalid_value"],
    ["{{text | number}}", "invalid_value"],
    ["{{text | bool}}", "invalid_value"],
    ['{{text | oneOf:"a","b"}}', "invalid_value"],
    ["{{text | first}}", "invalid_value"],
    ['{{object | join:","}}', "invalid_value"],
    // Each filter doubles the backslashes, or puts a thousand characters between two characters.
    [`{{quotes${" | json".repeat(20)}}}`, "invalid_value"],
    [`{{commas | split:"," | join:"${"x".repeat(999)}"}}`, "invalid_value"],
  ])("%s fails with %s", (text, code) => {
    expect(params("chat.sendMessage", { text })).toMatchObject({ code, message: expect.stringContaining("{{") });
  });

  test.each(["007", "1e3", "0x10", "+1", " 1", "1 ", "1.0", "1234567890123456", "--1", "１"])(
    "int does not take %j",
    (value) => {
      const rendered = renderParams("chat.sendMessage", { text: "{{x | int}}" }, () => value);
      expect(rendered).toMatchObject({ ok: false, failure: { code: "invalid_value" } });
    },
  );

  test("a value that looks like a template is not rendered again", () => {
    expect(renderData("a {{x}}", () => "{{text}}")).toBe("a {{text}}");
  });

  test("__proto__ is an ordinary name", () => {
    const value: JsonValue = JSON.parse('{"__proto__": {"a": "{{text}}"}}');
    expect(JSON.stringify(renderData(value, resolve))).toBe('{"__proto__":{"a":"plain"}}');
    expect(ownValue(value, ["__proto__", "a"])).toBe("{{text}}");
    expect(ownValue({}, ["__proto__"])).toBeUndefined();
  });
});

function params(action: ActionName, given: JsonObject) {
  const rendered = renderParams(action, given, resolve);
  return rendered.ok ? rendered.params : rendered.failure;
}
