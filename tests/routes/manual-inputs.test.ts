import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { executionSchema } from "../../schema/contract/execution.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createWorkflow, dataOf, errorPathsOf, problemOf, verb } from "../support/management-api.ts";
import { SUCCEEDS, createSchedule } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const manual = (inputs?: object) => ({ type: "manual", ...(inputs === undefined ? {} : { inputs }) });
const execute = (id: string, body?: object) => call(bellhop, "POST", `/workflows/${id}/execute`, body);

async function published(inputs?: object): Promise<string> {
  const { id } = await createWorkflow(bellhop, { trigger: manual(inputs), definition: SUCCEEDS });
  await verb(bellhop, id, "publish");
  return id;
}

/** The inputs as the execution's templates get them. */
async function variablesOf(answer: Response): Promise<unknown> {
  const { executionId } = await dataOf(answer, 201, triggerAnswerSchema);
  const execution = await dataOf(await call(bellhop, "GET", `/executions/${executionId}`), 200, executionSchema);
  return execution.trigger.type === "manual" ? execution.trigger.variables : null;
}

async function refusals(answer: Response): Promise<Record<string, string>> {
  const { errors = [] } = await problemOf(answer, 400, "invalid_request");
  return Object.fromEntries(errors.map(({ path, message }) => [path, message]));
}

describe("inputs of a manual trigger", () => {
  test.each([
    ["string", "", 5, "a string"],
    ["number", 0, "0", "a number"],
    ["boolean", false, 0, "true or false"],
    ["object", {}, [], "an object"],
    ["array", [], {}, "a list"],
  ])(
    "%s: a value of the type is accepted, also an empty one; other types and null are not",
    async (type, right, wrong, expected) => {
      const id = await published({ it: { type } });
      expect(await variablesOf(await execute(id, { variables: { it: right } }))).toEqual({ it: right });
      for (const value of [wrong, null]) {
        const answer = await execute(id, { variables: { it: value } });
        expect(await refusals(answer)).toEqual({ "variables.it": `must be ${expected}` });
      }
    },
  );

  test("have defaults, also empty ones, and a given value replaces a default", async () => {
    const id = await published({
      text: { type: "string", default: "" },
      number: { type: "number", default: 0, required: true },
      flag: { type: "boolean", default: false },
      list: { type: "array", default: [1] },
      absent: { type: "object" },
    });
    expect(await variablesOf(await execute(id))).toEqual({ text: "", number: 0, flag: false, list: [1] });
    expect(await variablesOf(await execute(id, { variables: { flag: true, list: [] } }))).toMatchObject({
      flag: true,
      list: [],
    });
  });

  test("that are required but missing, or unknown, are refused with the names of the inputs", async () => {
    const id = await published({ host: { type: "string", required: true }, count: { type: "number" } });
    const answer = await execute(id, { variables: { Host: "web-1", constructor: 1 } });
    expect(await refusals(answer)).toEqual({
      "variables.host": "is required",
      "variables.Host": "is not an input of this workflow; its inputs are: host, count",
      "variables.constructor": "is not an input of this workflow; its inputs are: host, count",
    });
  });

  test("are free when the trigger declares none, and an empty declaration allows none", async () => {
    expect(await variablesOf(await execute(await published(), { variables: { a: { b: 1 } } }))).toEqual({
      a: { b: 1 },
    });
    const answer = await execute(await published({}), { variables: { a: 1 } });
    expect(await refusals(answer)).toEqual({ "variables.a": "is not an input of this workflow; its inputs are: none" });
  });

  test("follow the published version, not the draft", async () => {
    const id = await published({ old: { type: "string" } });
    const draft = { name: "changed", trigger: manual({ new: { type: "string" } }), definition: SUCCEEDS };
    await call(bellhop, "PUT", `/workflows/${id}`, draft);
    expect(await errorPathsOf(await execute(id, { variables: { new: "x" } }))).toEqual(["variables.new"]);
    await verb(bellhop, id, "publish");
    expect(await variablesOf(await execute(id, { variables: { new: "x" } }))).toEqual({ new: "x" });
  });

  test("are checked when the trigger is saved: types, names, and defaults of another type", async () => {
    const inputs = {
      "not a name": { type: "string" },
      kind: { type: "date" },
      count: { type: "number", default: "3" },
      list: { type: "array", default: {} },
      extra: { type: "string", secret: true },
    };
    const input = { name: "a workflow", trigger: manual(inputs), definition: SUCCEEDS };
    const paths = await errorPathsOf(await call(bellhop, "POST", "/workflows", input));
    expect(paths).toEqual(["trigger.inputs.extra.secret", "trigger.inputs.kind.type", "trigger.inputs.not a name"]);
    const { count, list } = inputs;
    const defaults = { ...input, trigger: manual({ count, list }) };
    expect(await errorPathsOf(await call(bellhop, "POST", "/workflows", defaults))).toEqual([
      "trigger.inputs.count.default",
      "trigger.inputs.list.default",
    ]);
  });
});

describe("a manual execution", () => {
  test("needs a published workflow, not an active one; so does one of a schedule", async () => {
    const { id } = await createSchedule(bellhop, { expression: "0 0 1 1 *" });
    expect(await variablesOf(await execute(id, { variables: { why: "now" } }))).toEqual({ why: "now" });
    await verb(bellhop, id, "deactivate");
    expect(await variablesOf(await execute(id))).toEqual({});
    await verb(bellhop, id, "unpublish");
    expect((await problemOf(await execute(id), 409, "conflict")).detail).toContain("Publish it first");
  });

  test("leaves a schedule's next run unchanged", async () => {
    const { id, nextRunAt } = await createSchedule(bellhop, { expression: "0 0 1 1 *" });
    await variablesOf(await execute(id));
    const shown = await call(bellhop, "GET", `/workflows/${id}`);
    expect(await shown.json()).toMatchObject({ data: { nextRunAt } });
  });
});
