import { describe, expect, test } from "bun:test";
import type { GivenNode } from "../../schema/contract/dry-run.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { OUTPUT_JSON_MAX_BYTES, OUTPUT_JSON_MAX_DEPTH, OUTPUT_JSON_SHOWN_CHARS } from "../../schema/limits.ts";
import { dryRun } from "../../worker/domain/dry-run/index.ts";
import { outputValue, outputsShown } from "../../worker/domain/template/output-json.ts";
import { Engine, action, deepFreeze, define, edges } from "./engine.ts";

const LISTED = { stdout: '{"items": ["a", "b"], "n": 2}\n', stderr: "", exitCode: 0 };
const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const quoted = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));

describe("the json of an output", () => {
  const cases: readonly [what: string, output: JsonValue, json: JsonValue | undefined][] = [
    ["an object with blanks around it", { stdout: ' \r\n{"a": [1]}\n' }, { a: [1] }],
    ["a text behind the byte order mark that PowerShell writes", { stdout: '\uFEFF["a"]\r\n' }, ["a"]],
    ["a number", { stdout: "42\n" }, 42],
    ["null", { stdout: "null" }, null],
    ["nothing", { stdout: "" }, undefined],
    ["a plain text", { stdout: "done" }, undefined],
    ["two values", { stdout: '{"a":1}\n{"a":2}' }, undefined],
    ["a value that is marked as cut", { stdout: "[1]", truncated: true }, undefined],
    ["a value that is marked as not cut", { stdout: "[1]", truncated: false }, [1]],
    ["an output that has its own json", { stdout: "[1]", json: "its own" }, "its own"],
    ["a stdout that is not text", { stdout: [1] }, undefined],
    ["an output without stdout", { body: "[1]" }, undefined],
    ["an output that is a list", ["[1]"], undefined],
    ["no output", null, undefined],
    ["a number that JSON cannot hold", { stdout: '{"a": [1e999]}' }, undefined],
    ["a value of 256 KiB", { stdout: quoted(OUTPUT_JSON_MAX_BYTES) }, "x".repeat(OUTPUT_JSON_MAX_BYTES - 2)],
    ["a larger value", { stdout: quoted(OUTPUT_JSON_MAX_BYTES + 1) }, undefined],
    [
      "a value that is larger in bytes, not in characters",
      { stdout: `"${"é".repeat(OUTPUT_JSON_MAX_BYTES / 2)}"` },
      undefined,
    ],
    ["a value that nests too deep", { stdout: nested(OUTPUT_JSON_MAX_DEPTH + 1) }, undefined],
    ["a value of 200,000 brackets", { stdout: "[".repeat(200_000) }, undefined],
  ];
  test.each([...cases])("%s", (_what, output, json) => {
    expect(outputValue(output, ["json"])).toEqual(json);
    const shown = outputsShown()(deepFreeze(output));
    expect(outputValue(shown, [])).toEqual(
      json === undefined || json === "its own" ? output : { ...(output as JsonObject), json },
    );
  });

  test("a value of the greatest allowed depth is found down to its innermost value", () => {
    const path = Array.from({ length: OUTPUT_JSON_MAX_DEPTH }, () => "0");
    expect(outputValue({ stdout: nested(OUTPUT_JSON_MAX_DEPTH) }, ["json", ...path])).toBe(1);
  });

  test("names of prototypes are not found in the json of an output", () => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      expect(outputValue({ stdout: '{"a": 1}' }, ["json", name])).toBeUndefined();
    }
  });

  test("a template of the whole output gives the action's output without json", () => {
    expect(outputValue(LISTED, [])).toBe(LISTED);
  });

  test("the same long text gives the same value again, and one answer shows at most its bound", () => {
    const long = (mark: number) => ({ stdout: JSON.stringify([mark, "x".repeat(200_000)]) });
    expect(outputValue(long(1), ["json"])).toBe(outputValue(long(1), ["json"]) ?? null);
    const shown = outputsShown();
    const all = Array.from({ length: 20 }, (_, mark) => shown(long(mark)));
    expect(all.filter(hasJson)).toHaveLength(Math.floor(OUTPUT_JSON_SHOWN_CHARS / long(1).stdout.length));
    expect(hasJson(all.at(-1) ?? null)).toBe(false);
    expect(hasJson(shown({ stdout: "[1]" }))).toBe(true);
  });
});

describe("a template finds the json of an output", () => {
  const asks = (id: string, message: string) => ({ id, type: "approval", message });

  test("in data, in a condition and as the items of a forEach", () => {
    const condition = {
      id: "many",
      type: "condition",
      when: { logic: "all", conditions: [{ field: "nodes.s.output.json.n", operator: "greaterThan", value: 1 }] },
    };
    const loop = {
      id: "loop",
      type: "forEach",
      items: "{{nodes.s.output.json.items}}",
      concurrency: 2,
      body: { nodes: [asks("each", "{{foreach.item}} of {{nodes.s.output.json.n}}")], edges: [] },
    };
    const engine = Engine.start([action("s"), condition, loop], edges("s -> many", "many -true-> loop"));
    engine.end("s", { output: LISTED });
    const messages = engine.state.nodeRuns.filter(({ nodeId }) => nodeId === "each").map(({ output }) => output);
    expect(messages).toEqual([{ message: "a of 2" }, { message: "b of 2" }]);
    expect(engine.run("s").output).toEqual(LISTED);
  });

  test("behind a failure, as error.output.json", () => {
    const engine = Engine.start([action("s"), asks("b", "{{error.output.json.n}}")], edges("s -failure-> b"));
    engine.fail("s", { output: LISTED });
    expect(engine.run("b").output).toEqual({ message: "2" });
  });

  test("in the results of a forEach and in the outputs of a sub-workflow", () => {
    const path = ["outputs", "inner", "json", "n"];
    const result = { index: 0, status: "succeeded", outputs: { inner: LISTED } };
    expect(outputValue({ status: "succeeded", outputs: { inner: LISTED } }, path)).toBe(2);
    expect(outputValue({ total: 1, results: [result] }, ["results", "0", ...path])).toBe(2);
    expect(
      outputValue({ outputs: { loop: { results: [result] } } }, ["outputs", "loop", "results", "0", ...path]),
    ).toBe(2);
    expect(outputValue({ outputs: { json: LISTED } }, ["outputs", "json", "json", "n"])).toBe(2);
    expect(outputValue({ body: { outputs: { inner: LISTED } } }, ["body", ...path])).toBeUndefined();
  });

  test("in a dry run, from the output that is given", () => {
    const nodes = [action("s"), asks("b", "{{nodes.s.output.json.n}}"), asks("c", "{{error.output.json.n}}")];
    const previews = (given: GivenNode) =>
      dryRun(define(nodes, edges("s -> b", "s -failure-> c")), {
        trigger: { type: "webhook", variables: {} },
        nodes: { s: given },
      }).map(({ approval }) => approval?.message);
    expect(previews({ output: LISTED })).toEqual([undefined, "2", "2"]);
  });
});

function hasJson(output: JsonValue): boolean {
  return typeof output === "object" && output !== null && Object.hasOwn(output, "json");
}
