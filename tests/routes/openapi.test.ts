import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { PROBLEM_STATUS, problemSchema } from "../../schema/contract/problem.ts";
import { createApp } from "../../worker/app.ts";
import { FILE_PATHS, PAGE_PATHS } from "../../worker/http/console/serve.ts";
import { operationErrors } from "../../worker/http/openapi/operation-errors.ts";
import { subschema } from "../../worker/http/openapi/subschema.ts";
import type { JsonSchema, MediaObject } from "../../worker/http/openapi/types.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { description, operations, resolveSchema } from "../support/described.ts";
import { schemaErrors, unknownKeywords } from "../support/json-schema.ts";

const METHODS = ["get", "post", "put", "patch", "delete"];
/** The 404 and the 401 of whole prefixes, for addresses without an operation. */
const PREFIXES = new Set(["/*", "/api/v1/automation/*", "/api/v1/automation/webhooks/*"]);
/** The console's page and files, which are no operations of the API. */
const CONSOLE = new Set([...PAGE_PATHS, ...FILE_PATHS].map((path) => `GET ${path}`));

const described = Object.entries(description.paths).flatMap(([path, members]) =>
  Object.entries(members).map(([method, operation]) => ({ path, method, operation })),
);

/** Routes of an app without a description, and described operations without a route. */
function differences(app: ReturnType<typeof createApp>): { undescribed: string[]; unrouted: string[] } {
  const inDocument = new Set(
    described.map(({ path, method }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/gu, ":$1")}`),
  );
  const paths = new Set([...inDocument].map((line) => line.split(" ")[1]));
  const routed = new Set(app.routes.map(({ method, path }) => `${method} ${path}`)).difference(CONSOLE);
  return {
    undescribed: [...routed].filter((line) => {
      const [method, path = ""] = line.split(" ");
      return method === "ALL" ? !paths.has(path) && !PREFIXES.has(path) : !inDocument.has(line);
    }),
    unrouted: [...inDocument].filter((line) => !routed.has(line)),
  };
}

describe("the description and the routes", () => {
  test("have the same operations", () => {
    expect(differences(createApp())).toEqual({ undescribed: [], unrouted: [] });
    expect(described).toHaveLength(operations.length);
  });

  test("are reported as different when one route is not described", () => {
    const app = createApp();
    app.get("/api/v1/automation/secret-door", (context) => context.text("hello"));
    app.all("/api/v1/backdoor", (context) => context.text("hello"));
    expect(differences(app).undescribed).toEqual(["GET /api/v1/automation/secret-door", "ALL /api/v1/backdoor"]);
  });
});

test("every `attempt` says what it counts: attempts of a node, or agents that had a job", () => {
  const text = JSON.stringify(description.components.schemas);
  const said = [...text.matchAll(/"attempt":(\{[^{}]*\})/gu)].map(
    ([, schema = "{}"]) => JSON.parse(schema).description,
  );
  expect(said.toSorted()).toEqual([
    expect.stringContaining("The node's attempt"),
    expect.stringContaining("The node's attempt"),
    expect.stringContaining("The place in `assignments`"),
  ]);
});

test("a field's description is in the parameter and in the body's field", () => {
  const { parameters = [] } = description.paths["/api/v1/automation/executions"]?.["get"] ?? {};
  const { requestBody } = description.paths["/api/v1/automation/executions/{id}/retry"]?.["post"] ?? {};
  expect(parameters.find(({ name }) => name === "from")?.description).toBe("Started then or later.");
  const version = subschema(requestBody?.content["application/json"]?.schema.properties?.["version"]);
  expect(version?.description).toContain("`same` is the version that ran");
});

describe("every operation", () => {
  test("has its own id, a summary and a listed tag", () => {
    const ids = described.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = description.tags.map(({ name }) => name);
    for (const { operation } of described) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/u);
      expect(operation.summary).not.toBe("");
      expect(tags).toContain(operation.tags[0] ?? "none");
    }
  });

  test.each(described)("$method $path declares each parameter of its path once", ({ path, method, operation }) => {
    expect(METHODS).toContain(method);
    const declared = operation.parameters.filter((parameter) => parameter.in === "path");
    expect(declared.map(({ name, required }) => `${name} ${required}`)).toEqual(
      [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => `${name} true`),
    );
    const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`);
    expect(new Set(names).size).toBe(names.length);
    for (const scheme of operation.security.flatMap(Object.keys)) {
      expect(description.components.securitySchemes).toHaveProperty(scheme);
    }
  });

  test.each(operations)("$id lists each of its errors with the code and an example", (operation) => {
    const responses = description.paths[operation.path]?.[operation.method.toLowerCase()]?.responses ?? {};
    for (const code of operationErrors(operation)) {
      const status = PROBLEM_STATUS[code];
      const response = responses[status];
      // Readiness has its own shape of a failure.
      if (response !== undefined && !("$ref" in response))
        expect([operation.id, status]).toEqual(["checkReadiness", 503]);
      else {
        const { content } = description.components.responses[response?.$ref.split("/").at(-1) ?? ""] ?? {};
        const media = content?.["application/problem+json"];
        expect(media?.examples?.[code]?.value).toMatchObject({ code, status });
        expect(problemSchema.safeParse(media?.examples?.[code]?.value).success).toBe(true);
      }
    }
  });

  test.each(operations)("$id has a valid body as its example", ({ path, method, body }) => {
    const content = description.paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {};
    expect(Object.keys(content)).toHaveLength(body === undefined ? 0 : 1);
    for (const { example } of Object.values(content)) expect(body?.safeParse(example).error?.issues ?? []).toEqual([]);
  });
});

describe("every schema", () => {
  const media = described.flatMap(({ operation }) => [
    ...Object.values(operation.requestBody?.content ?? {}),
    ...Object.values(operation.responses).flatMap((response) =>
      "content" in response ? Object.values(response.content ?? {}) : [],
    ),
  ]);
  const all: MediaObject[] = [
    ...media,
    ...Object.values(description.components.responses).flatMap(({ content = {} }) => Object.values(content)),
  ];

  test("refers only to existing schemas, with known keywords, and its required fields exist", () => {
    const visit = (schema: JsonSchema): void => {
      expect(unknownKeywords(schema)).toEqual([]);
      if (schema.$ref !== undefined) resolveSchema(schema.$ref);
      if (schema.properties !== undefined)
        expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(schema.required ?? []));
      if (schema.pattern !== undefined) expect(() => new RegExp(schema.pattern ?? "", "u")).not.toThrow();
      const {
        properties = {},
        items,
        additionalProperties,
        propertyNames,
        anyOf = [],
        oneOf = [],
        allOf = [],
      } = schema;
      const inside = [...Object.values(properties), items, additionalProperties, propertyNames];
      for (const inner of [...inside, ...anyOf, ...oneOf, ...allOf]) {
        const said = subschema(inner);
        if (said !== undefined) visit(said);
      }
    };
    for (const schema of Object.values(description.components.schemas)) visit(schema);
    for (const { schema, "x-events": events = {}, "x-line": line = {} } of all)
      [schema, line, ...Object.values(events)].forEach(visit);
    for (const { operation } of described) for (const { schema } of operation.parameters) visit(schema);
  });

  test("matches its examples", () => {
    for (const { schema, example, examples = {} } of all) {
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ];
      for (const value of values) expect(schemaErrors(schema, value, resolveSchema)).toEqual([]);
    }
  });

  test("that contains itself is one component, and the whole stays small", () => {
    const rings = [
      ["GraphInput", "NodeInput", "ForEachNodeInput"],
      ["Graph", "Node", "ForEachNode"],
      ["ConditionGroup"],
    ];
    for (const ring of rings) {
      for (const [index, name] of ring.entries()) {
        const next = ring[(index + 1) % ring.length];
        expect(JSON.stringify(resolveSchema(name))).toContain(`"#/components/schemas/${next}"`);
      }
    }
    expect(JSON.stringify(description).length).toBeLessThan(1_000_000);
  });

  test("with a component name is used somewhere", () => {
    const text = JSON.stringify(description);
    for (const name of Object.keys(description.components.schemas)) {
      expect(text).toContain(`"#/components/schemas/${name}"`);
    }
  });
});

describe("GET /api/v1/openapi.json", () => {
  let bellhop: Service;
  beforeAll(async () => {
    bellhop = await startApp();
  });
  afterAll(() => bellhop.stop());

  test("returns the description to anonymous callers, and 304 to a client that has it", async () => {
    const url = `${bellhop.url}/api/v1/openapi.json`;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(z.unknown().parse(await response.json())).toEqual(JSON.parse(JSON.stringify(description)));
    const etag = response.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/u);
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await fetch(url, { headers: { "If-None-Match": header } });
      expect([again.status, await again.text(), again.headers.get("ETag")]).toEqual([304, "", etag]);
    }
    expect((await fetch(url, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  });
});
