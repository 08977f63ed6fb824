import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { ownValue } from "../../worker/domain/template/index.ts";
import { paramProblems } from "../support/problems.ts";

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
};
const resolve = (path: readonly string[]) => ownValue(VALUES, path);

function params(action: ActionName, given: JsonObject) {
  const rendered = renderParams(action, given, resolve);
  return rendered.ok ? rendered.params : rendered.failure;
}

describe("parameters", () => {
  test.each<[ActionName, JsonObject, JsonObject]>([
    [
      "kubernetes.scaleDeployment",
      { deployment: "{{text}}", replicas: "{{number}}" },
      { deployment: "plain", replicas: 5 },
    ],
    [
      "kubernetes.scaleDeployment",
      { deployment: "{{number}}", replicas: "1{{number}}" },
      { deployment: "5", replicas: 15 },
    ],
    ["chat.sendMessage", { text: "{{number}}", blocks: ["{{object}}"] }, { text: "5", blocks: [{ a: { b: "deep" } }] }],
    ["chat.sendMessage", { text: "{{nothing}}" }, { text: "" }],
    ["chat.sendMessage", { text: "{{list}}" }, { text: '[1,{"a":"b"}]' }],
    [
      "ssh.executeScript",
      { script: "true", arguments: ["{{number}}", "{{yes}}"] },
      { script: "true", interpreter: "bash", arguments: ["5", "true"] },
    ],
    [
      "http.request",
      { path: "/", query: { a: "{{number}}", b: "{{object}}" } },
      { path: "/", method: "GET", bodyType: "json", query: { a: 5, b: '{"a":{"b":"deep"}}' } },
    ],
  ])(
    "%s %j: a whole template keeps its type where the action accepts that type, and is text otherwise",
    (action, given, expected) => {
      expect(params(action, given)).toEqual(expected);
    },
  );

  test("parameters that the action does not accept fail the node with every problem", () => {
    expect(
      params("kubernetes.scaleDeployment", { deployment: "{{missing}}", replicas: "{{text}}", extra: 1 }),
    ).toMatchObject({
      code: "invalid_params",
      message: expect.stringMatching(/deployment: .*replicas: .*extra/su),
    });
  });

  test("code takes plain words, env is passed separately by name, and templates in data are replaced", () => {
    expect(
      renderParams(
        "script.bash",
        { script: "echo {{text}}", env: { A: "{{quotes}}", B: "b {{number}}" }, workingDirectory: "/srv/{{text}}" },
        resolve,
      ),
    ).toEqual({
      ok: true,
      params: { script: "echo plain", workingDirectory: "/srv/plain" },
      values: { A: 'a "b" \\ \n', B: "b 5" },
      written: { A: "{{quotes}}", B: "b {{number}}" },
      features: ["namedValues"],
    });
    expect(renderParams("script.bash", { script: "echo {{text}}" }, resolve)).toMatchObject({
      values: {},
      features: [],
    });
  });

  test.each([
    ["bash", "echo {{text}}", true],
    ["/usr/bin/python3", "print('{{text}}')", true],
    ["pwsh", "echo '{{text}}'", true],
    ["zsh", "echo {{text}}", false],
    ["/bin/ksh", "echo {{text}}", false],
    ["perl", "print {{text}}", false],
  ])("a remote script in %s takes templates: %s %p", (interpreter, script, takes) => {
    expect(paramProblems("ssh.executeScript", { script, interpreter }).length === 0).toBe(takes);
    expect(renderParams("ssh.executeScript", { script, interpreter }, resolve).ok).toBe(takes);
  });

  test("a large value that a text uses thousands of times is refused before it is assembled", () => {
    const body = "{{x}}".repeat(10_000);
    const rendered = renderParams("http.request", { path: "/", body, bodyType: "text" }, () => "x".repeat(1_000_000));
    expect(rendered).toMatchObject({ ok: false, failure: { code: "value_too_large" } });
  });

  test("a value that an environment cannot carry fails the node before there is a job, each with its own code", () => {
    const of = (value: string, action: ActionName = "script.bash") => {
      const rendered = renderParams(action, { script: "true", env: { A: "{{x}}" } }, () => value);
      return rendered.ok ? null : rendered.failure.code;
    };
    expect(of("a\0b")).toBe("value_not_representable");
    expect(of("\ud800")).toBe("value_not_representable");
    expect(of("x".repeat(128 * 1_024))).toBe("value_too_large");
    expect(of("x".repeat(100_000))).toBeNull();
    expect(of("x".repeat(32_767), "winrm.executeScript")).toBe("values_too_large");
    expect(of("x".repeat(32_000), "winrm.executeScript")).toBeNull();
  });
});

describe("named values that are saved", () => {
  test.each<[ActionName, JsonObject, string]>([
    ["script.bash", { script: "true", env: "{{webhook.env}}" }, "params.env"],
    ["script.bash", { script: "true", env: ["N={{webhook.n}}"] }, "params.env"],
    ["script.bash", { script: "true", env: { N: ["{{webhook.n}}"] } }, "params.env.N"],
    ["database.executeQuery", { query: "select :a", parameters: ["{{webhook.n}}"] }, "params.parameters"],
    ["script.bash", { script: "true", env: { PATH: "{{webhook.x}}" } }, "params.env.PATH"],
    ["ssh.executeCommand", { command: "true", env: { LD_PRELOAD: "{{webhook.x}}" } }, "params.env.LD_PRELOAD"],
    ["winrm.executeScript", { script: "1", env: { bellhop_x: "y" } }, "params.env.bellhop_x"],
    ["script.bash", { script: "true", env: { "{{webhook.x}}": "y" } }, "params.env.{{webhook.x}}"],
    ["winrm.executeCommand", { command: "dir", env: { A: "y" } }, "params.env"],
    ["database.executeQuery", { query: "select :a", parameters: { a: 1, b: 2 } }, "params.query"],
    ["database.executeQuery", { query: "select :a, :c", parameters: { a: 1 } }, "params.query"],
    ["database.executeQuery", { query: "select ':a'", parameters: { a: 1 } }, "params.query"],
  ])("%s %j is refused at %s", (action, given, path) => {
    expect(paramProblems(action, given).map((problem) => problem.path)).toContain(path);
  });

  test("a PATH without templates is accepted", () => {
    expect(paramProblems("script.bash", { script: "true", env: { PATH: "/opt/bin:/usr/bin" } })).toEqual([]);
  });
});

describe("http.request escapes every value for its place", () => {
  const http = (given: JsonObject) => params("http.request", given);
  test.each([
    ["/users/{{address}}/x", "/users/a%2Fb%3Fc%3Dd%26e%3D%C3%A4%20%23%27%28%29/x"],
    ["/x?q={{address}}&n={{number}}", "/x?q=a%2Fb%3Fc%3Dd%26e%3D%C3%A4%20%23%27%28%29&n=5"],
    ["/a.{{dot}}b", "/a..b"],
    ["/x?d={{dots}}", "/x?d=.."],
    ["/{{half}}", "/%EF%BF%BD"],
  ])("path %s becomes %s", (path, expected) => {
    expect(http({ path })).toMatchObject({ path: expected });
  });

  test.each([["/a/{{dots}}/b"], ["/a/{{dot}}"], ["/{{dot}}{{dot}}/x"], ["/a/.{{dot}}"], ["/%2e{{dot}}/x"]])(
    "a value that would climb out of the path fails the node: %s",
    (path) => {
      expect(http({ path })).toMatchObject({ code: "invalid_params", message: expect.stringContaining("path") });
    },
  );

  test("a path or url that is one whole template is not encoded", () => {
    expect(http({ path: "{{address}}" })).toMatchObject({ path: VALUES["address"] });
    // docs/connections/http.md says so to keep a value one segment.
    expect(http({ path: "/{{address}}" })).toMatchObject({ path: "/a%2Fb%3Fc%3Dd%26e%3D%C3%A4%20%23%27%28%29" });
    expect(http({ url: "https://x/{{text}}" })).toMatchObject({ url: "https://x/plain" });
  });

  test.each<[JsonValue, JsonValue]>([
    [
      '{"a": "x{{quotes}}", "b": {{object}}, "c": {{number}}, "d": {{missing}}, "e": {{quotes}}}',
      { a: 'xa "b" \\ \n', b: { a: { b: "deep" } }, c: 5, d: "", e: 'a "b" \\ \n' },
    ],
    ['[{{nothing}}, "\\"{{list}}"]', [null, '"[1,{"a":"b"}]']],
  ])("a body that is JSON text stays that JSON: %s", (body, expected) => {
    const rendered = http({ method: "POST", body });
    const text = "body" in rendered && typeof rendered["body"] === "string" ? rendered["body"] : "";
    expect(JSON.parse(text)).toEqual(expected);
  });

  test("a body that is other text, an object or one whole template keeps its values unescaped", () => {
    expect(http({ body: 'say "{{quotes}}"' })).toMatchObject({ body: 'say "a "b" \\ \n"' });
    expect(http({ body: "[{{text}}] and more" })).toMatchObject({ body: "[plain] and more" });
    expect(http({ body: { a: "{{quotes}}", n: "{{number}}" } })).toMatchObject({ body: { a: VALUES["quotes"], n: 5 } });
    expect(http({ body: "{{list}}" })).toMatchObject({ body: VALUES["list"] });
    expect(http({ body: "{{quotes}} {{text}}", bodyType: "text" })).toMatchObject({ body: 'a "b" \\ \n plain' });
  });

  test("values in a form body that is text are form-encoded", () => {
    expect(http({ body: "a={{address}}&b=1", bodyType: "form" })).toMatchObject({
      body: "a=a%2Fb%3Fc%3Dd%26e%3D%C3%A4%20%23%27%28%29&b=1",
    });
  });

  test("a line break in a header fails the node", () => {
    expect(http({ headers: { "X-A": "{{text}}", "X-N": "{{number}}" } })).toMatchObject({
      headers: { "X-A": "plain", "X-N": "5" },
    });
    expect(http({ headers: { "X-A": "a {{crlf}}" } })).toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining("headers.X-A"),
    });
    expect(http({ headers: { "X-A": "{{crlf}}" } })).toMatchObject({ code: "invalid_params" });
  });
});
