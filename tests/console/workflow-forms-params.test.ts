import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { fieldsOf, hintOf } from "../../console/workflow-forms/param-fields.ts";
import type { ParamField } from "../../console/workflow-forms/param-fields.ts";
import { WRITTEN, jsonProblem } from "../../console/workflow-forms/param-value.ts";
import type { Written } from "../../console/workflow-forms/param-value.ts";
import { fromRows, rowProblems, toRows } from "../../console/workflow-forms/rows.ts";
import { ACTIONS, isActionName } from "../../schema/contract/action.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";

const NAMES = Object.keys(ACTIONS).filter(isActionName);

/** How a kind of field is written, and values that it can have. */
function examples(field: ParamField): [Written, JsonValue[]] {
  const template = "{{webhook.value}}";
  switch (field.kind) {
    case "text":
    case "code":
    case "choice":
    case "secretsFrom":
      return [WRITTEN.text, ["a text", template, "two\nlines", "5", '{"a": 1}']];
    case "number":
      return [WRITTEN.number, [5, 0, template]];
    case "numberOrNumbers":
      return [WRITTEN.numbers, [200, [200], [200, 204], [200, template], template].slice(0, 3).concat(template)];
    case "boolean":
      return [WRITTEN.scalar, [true, false, template]];
    case "texts":
    case "textOrTexts":
    case "objects":
    case "json":
      return [WRITTEN.json, [{ a: [1, template] }, [1], "text", template, "5", "true", "", '"', " ", null, 5, false]];
    case "record":
      return [
        WRITTEN[field.values],
        [
          "text",
          template,
          ...(field.values === "text" ? [] : [5, true, "5", ""]),
          ...(field.values === "json" ? [null, [1], { a: template }] : []),
        ],
      ];
  }
}

describe("the form of an action", () => {
  test.each(NAMES)("%s has every parameter of its schema, and keeps all values", (action) => {
    const { params, code } = ACTIONS[action];
    const shape: Readonly<Record<string, unknown>> = params.shape;
    const fields = fieldsOf(action, {});
    expect(fields.map(({ name }) => name)).toEqual(Object.keys(shape));
    for (const field of fields) {
      expect(field.label).not.toBe("");
      expect(field.kind === "code").toBe(Object.hasOwn(code, field.name));
      const schema = shape[field.name];
      const mayBeAbsent = schema instanceof z.ZodType && schema.safeParse(undefined).success;
      expect([field.name, field.required]).toEqual([field.name, !mayBeAbsent]);
      const [written, values] = examples(field);
      for (const value of values) expect([field.name, written.read(written.write(value))]).toEqual([field.name, value]);
    }
  });

  test.each([
    ["http.request", "method", { kind: "choice", defaultValue: "GET", required: false }],
    ["http.request", "query", { kind: "record", values: "scalar" }],
    ["http.request", "headers", { kind: "record", values: "text" }],
    ["http.request", "expectStatus", { kind: "numberOrNumbers" }],
    ["http.request", "body", { kind: "json", shape: "any" }],
    [
      "database.executeQuery",
      "maxRows",
      { kind: "number", min: 1, max: 100_000, defaultValue: 1_000, required: false },
    ],
    ["database.executeQuery", "query", { kind: "code", language: "sql", required: true }],
    ["kubernetes.scaleDeployment", "replicas", { kind: "number", min: 0, required: true }],
    ["kubernetes.getLogs", "previous", { kind: "boolean" }],
    ["chat.sendMessage", "text", { kind: "text", multiline: true, required: true }],
    ["chat.sendMessage", "channel", { kind: "text", multiline: false }],
    ["chat.sendMessage", "blocks", { kind: "json", shape: "list" }],
    ["teamchat.sendAdaptiveCard", "card", { kind: "json", shape: "object", required: true }],
    ["email.sendEmail", "to", { kind: "textOrTexts", required: true }],
    ["ssh.executeScript", "arguments", { kind: "texts" }],
    ["ssh.executeScript", "secretsFrom", { kind: "secretsFrom" }],
    ["script.bash", "env", { kind: "record", values: "text" }],
    ["ssh.executeCommand", "env", { kind: "record", values: "text" }],
    ["winrm.executeScript", "env", { kind: "record", values: "text" }],
    ["database.executeQuery", "parameters", { kind: "record", values: "json" }],
  ] as const)("%s has the field %s: %j", (action, name, expected) => {
    expect(fieldsOf(action, {}).find((field) => field.name === name)).toMatchObject(expected);
  });

  test.each([
    ["http.request", "method", "GET"],
    ["os.restartService", "service", "such as nginx"],
    ["http.request", "path", ""],
  ] as const)("%s: an empty field %s shows its default or an example: %p", (action, name, hint) => {
    const field = fieldsOf(action, {}).find((one) => one.name === name);
    expect(field === undefined ? undefined : hintOf(field)).toBe(hint);
  });

  test("email.sendEmail has fields for each attachment", () => {
    const field = fieldsOf("email.sendEmail", {}).find(({ name }) => name === "attachments");
    expect(field?.kind === "objects" ? field.fields : []).toMatchObject([
      { name: "filename", kind: "text", required: true },
      { name: "content", kind: "text", multiline: true, required: true },
      { name: "encoding", kind: "choice", options: ["utf8", "base64"], defaultValue: "utf8", required: false },
      { name: "contentType", kind: "text", required: false },
    ]);
  });

  test.each([
    ["python3", "python"],
    ["/usr/bin/pwsh", "powershell"],
    ["perl", "unknown"],
  ])("edits a script for the interpreter %s as %s", (interpreter, language) => {
    const field = fieldsOf("ssh.executeScript", { interpreter }).find(({ name }) => name === "script");
    expect(field).toMatchObject({ kind: "code", language });
  });

  test("edits a body with bodyType text as plain text", () => {
    const body = fieldsOf("http.request", { bodyType: "text" }).find(({ name }) => name === "body");
    expect(body).toMatchObject({ kind: "text", multiline: true });
  });
});

describe("a value in a text field", () => {
  test.each([
    ["number", "12", 12],
    ["number", "{{webhook.n}}", "{{webhook.n}}"],
    ["number", "twelve", "twelve"],
    ["number", "  ", undefined],
    ["numbers", "200, 204", [200, 204]],
    ["numbers", "200", 200],
    ["scalar", "true", true],
    ["scalar", "nginx", "nginx"],
    ["scalar", '{"a":1}', '{"a":1}'],
    ["scalar", "1.10", "1.10"],
    ["scalar", "-1.5", -1.5],
    ["scalar", "12345678901234567890", "12345678901234567890"],
    ["json", "12345678901234567890", "12345678901234567890"],
    ["json", '{"a": 1}', { a: 1 }],
    ["json", "{{webhook.body}}", "{{webhook.body}}"],
    ["json", '{"a": {{webhook.a}}}', '{"a": {{webhook.a}}}'],
    ["json", '{"a": ', '{"a": '],
    ["list", "nginx, 5, true", ["nginx", 5, true]],
    ["list", "1.9, 1.10", [1.9, "1.10"]],
    ["list", '"a, b", {"c": [1, 2]}', ["a, b", { c: [1, 2] }]],
    ["list", "", []],
  ] satisfies [keyof typeof WRITTEN, string, JsonValue | undefined][])(
    "of the kind %s reads %p as %p",
    (kind, typed, value) => {
      expect(WRITTEN[kind].read(typed)).toEqual(value);
    },
  );

  test.each([
    [["a", 5, 1e21, 1e-7, "5", "1.10", "a, b", true, { a: 1 }, [1, 2], '"', "it's"]],
    [[]],
    [["x"]],
    [["{", "[a", "}"]],
  ])("of the kind list keeps %j", (value) => expect(WRITTEN.list.read(WRITTEN.list.write(value))).toEqual(value));

  test("is reported as invalid JSON unless it is JSON or one template", () => {
    expect(jsonProblem('{"a": 1}')).toBeNull();
    expect(jsonProblem("{{webhook.body}}")).toBeNull();
    expect(jsonProblem('{"a": ')).toContain("Invalid JSON");
  });
});

describe("rows of names and values", () => {
  const object: JsonObject = { SERVICE: "{{inputs.service}}", LEVEL: "debug" };

  test("are read back as the same object in the same order", () => {
    expect(fromRows(toRows(object, WRITTEN.text), WRITTEN.text)).toEqual(object);
    expect(Object.keys(fromRows(toRows(object, WRITTEN.text), WRITTEN.text))).toEqual(Object.keys(object));
  });

  test("report duplicate and missing names, which an object cannot have", () => {
    const rows = [
      { name: "A", text: "1" },
      { name: "A", text: "2" },
      { name: "", text: "3" },
      { name: "", text: "" },
    ];
    expect(fromRows(rows, WRITTEN.text)).toEqual({ A: "1" });
    expect(rowProblems(rows)).toEqual([
      null,
      "This name is already used above.",
      "Enter a name. A row without a name is not saved.",
      null,
    ]);
  });
});
