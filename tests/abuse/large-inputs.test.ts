import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { INTEGRATION_DELIVERY_MAX_ENTRIES, MANAGEMENT_BODY_MAX_VALUES } from "../../schema/limits.ts";
import { patternProblem } from "../../worker/domain/pattern.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";

const AUTOMATION = "/api/v1/automation";
const problemSchema = z.looseObject({ code: z.string(), detail: z.string() });
const validitySchema = z.object({
  data: z.object({ valid: z.boolean(), errors: z.array(z.object({ path: z.string(), message: z.string() })) }),
});

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

async function deliveryUrl(kind: string): Promise<string> {
  const response = await bellhop.api("POST", `${AUTOMATION}/integrations`, { name: kind, kind });
  return z.object({ data: z.object({ url: z.string() }) }).parse(await response.json()).data.url;
}

/** A list of `count` times the item. */
const list = (count: number, item: string) => `[${`${item},`.repeat(count - 1)}${item}]`;

async function validate(body: unknown) {
  const response = await bellhop.api("POST", `${AUTOMATION}/workflows/validate`, body);
  expect(response.status).toBe(200);
  return validitySchema.parse(await response.json()).data;
}

function scriptOf(script: string) {
  const node = { id: "only", type: "action", action: "script.bash", connectionId: "con_none", params: { script } };
  return { name: "large", trigger: { type: "manual" }, definition: { nodes: [node], edges: [] } };
}

describe("a delivery with more entries than are allowed is refused whole, without reading each:", () => {
  const deliveries: [kind: string, type: string, body: (count: number) => string][] = [
    ["alertmanager", "application/json", (count) => `{"version":"4","alerts":${list(count, "{}")}}`],
    ["cloudevents", "application/cloudevents-batch+json", (count) => list(count, "{}")],
  ];
  for (const [kind, type, body] of deliveries) {
    test(kind, async () => {
      const url = await deliveryUrl(kind);
      const send = (count: number) =>
        fetch(url, { method: "POST", headers: { "Content-Type": type }, body: body(count) });
      const refused = await send(INTEGRATION_DELIVERY_MAX_ENTRIES + 1);
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain(`at most ${INTEGRATION_DELIVERY_MAX_ENTRIES} `);
      // With one entry fewer the delivery is read, and every entry is invalid.
      const read = problemSchema.parse(await (await send(INTEGRATION_DELIVERY_MAX_ENTRIES)).json());
      expect(read.detail).toMatch(/^\d{5} things are wrong/u);
    });
  }
});

describe("a pattern", () => {
  test("of more than 4096 characters is refused before it is compiled", () => {
    expect(patternProblem("(a|b)".repeat(700_000))).toBe("must have at most 4096 characters");
    expect(patternProblem("a".repeat(400))).toBeNull();
  });

  test("that grows when it is compiled is refused", () => {
    expect(patternProblem("((a{1,1000}){1,1000}){1,1000}")).not.toBeNull();
  });
});

describe("a script", () => {
  test("larger than the limit is refused for its size only", async () => {
    const { valid, errors } = await validate(scriptOf("{{a.b}} ".repeat(26_000)));
    expect(valid).toBe(false);
    expect(errors).toContainEqual({
      path: "definition.nodes.0.params.script",
      message: expect.stringContaining("has 208000 bytes, and code has at most 200000"),
    });
  });

  test("that makes a workflow too slow to check is refused with too_complex", async () => {
    const one = scriptOf("echo {{a.b}}\n".repeat(14_000)).definition.nodes[0];
    const nodes = Array.from({ length: 12 }, (_, index) => ({ ...one, id: `n${index}` }));
    const body = { name: "large", trigger: { type: "manual" }, definition: { nodes, edges: [] } };
    const response = await bellhop.api("POST", `${AUTOMATION}/workflows/validate`, body);
    expect(response.status).toBe(400);
    expect(problemSchema.parse(await response.json()).code).toBe("too_complex");
  });

  test("with fourteen thousand misplaced templates gets a short response", async () => {
    const { valid, errors } = await validate(scriptOf("$(({{a.b}}))\n".repeat(14_000)));
    expect(valid).toBe(false);
    expect(errors.length).toBeLessThan(200);
  });
});

describe("a workflow is refused, and other requests are served, when", () => {
  const base = { name: "large", trigger: { type: "manual" }, definition: { nodes: [], edges: [] } };
  for (const [title, body] of [
    [
      "its nodes are a million empty objects",
      `{"name":"x","definition":{"edges":[],"nodes":${list(1_300_000, "{}")}}}`,
    ],
    [
      "it has a quarter of a million unknown fields",
      `{${Array.from({ length: 250_000 }, (_, n) => `"${n}":1`).join()}}`,
    ],
    [
      "its cron expression has a megabyte",
      JSON.stringify({ ...base, trigger: { type: "cron", expression: "0,".repeat(500_000) } }),
    ],
  ] as const) {
    test(title, async () => {
      const response = await fetch(`${bellhop.url}${AUTOMATION}/workflows`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/json" },
        body,
      });
      expect(response.status).toBe(400);
      expect((await response.text()).length).toBeLessThan(100_000);
      expect((await bellhop.api("GET", `${AUTOMATION}/workflows?limit=1`)).status).toBe(200);
    });
  }

  for (const [title, yaml] of [
    ["its file's aliases would copy themselves a billion times", billionLaughs()],
    ["its file nests without end", "{a: ".repeat(200_000)],
    ["its file is larger than a file may be", "# \n".repeat(500_000)],
  ] as const) {
    test(title, async () => {
      const response = await fetch(`${bellhop.url}${AUTOMATION}/workflows/import`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
        body: yaml,
      });
      expect([400, 413]).toContain(response.status);
      expect((await response.text()).length).toBeLessThan(100_000);
    });
  }
});

test("a trigger with too many inputs is refused", async () => {
  const inputs = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, { type: "string" }]));
  const { valid, errors } = await validate({
    ...scriptOf("{{inputs.other}} ".repeat(1_000)),
    trigger: { type: "manual", inputs },
  });
  expect(valid).toBe(false);
  expect(errors).toContainEqual({ path: "trigger.inputs", message: "must have at most 100 inputs" });
});

test("a body with too many values is refused before any of them is validated", async () => {
  const send = (values: number) =>
    fetch(`${bellhop.url}${AUTOMATION}/workflows/validate`, {
      method: "POST",
      headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/json" },
      // The list itself is one value.
      body: list(values - 1, "0"),
    });
  const refused = problemSchema.parse(await (await send(MANAGEMENT_BODY_MAX_VALUES + 1)).json());
  expect(refused.detail).toContain(`more than ${MANAGEMENT_BODY_MAX_VALUES} values`);
  expect((await send(MANAGEMENT_BODY_MAX_VALUES)).status).toBe(200);
});

test("a page size above the limit is refused", async () => {
  for (const limit of ["201", "1e9", "-1", "NaN"]) {
    expect((await bellhop.api("GET", `${AUTOMATION}/incidents?limit=${limit}`)).status).toBe(400);
  }
});

function billionLaughs(): string {
  const names = [..."abcdefghijkl"];
  const lines = names.map((name, index) => {
    const before = names[index - 1];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => (before === undefined ? "x" : `*${before}`)).join(", ")}]`;
  });
  return `${lines.join("\n")}\n`;
}
