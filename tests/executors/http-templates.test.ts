import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { requestWith } from "../support/http-executor.ts";
import { paramProblems } from "../support/problems.ts";

/** Hostile values in every place of http.request, sent by the agent's executor to a real server. */
interface Seen {
  method: string;
  url: URL;
  headers: Headers;
  body: string;
}

let server: Bun.Server<undefined>;
let seen: Seen[] = [];
beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      seen.push({
        method: request.method,
        url: new URL(request.url),
        headers: request.headers,
        body: await request.text(),
      });
      return new Response("ok");
    },
  });
});
afterAll(() => server.stop(true));
beforeEach(() => {
  seen = [];
});

/** A place for a value in the parameters, and where the server finds that value. */
interface Place {
  readonly name: string;
  readonly params: JsonObject;
  readonly found: (request: Seen) => JsonValue | undefined;
  /** The number of members or fields next to the value, which the value must not change. */
  readonly members?: (request: Seen) => number;
  readonly takes?: (value: string) => boolean;
}

const json = (request: Seen): JsonValue => JSON.parse(request.body);
const member = (value: JsonValue, name: string): JsonValue | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value[name] : undefined;
/** Servers do not accept 100,000 characters in an address or a header, and the field's contract allows fewer. */
const short = (value: string) => value.length < 5_000;
/** Without the hostile values that lead to another path once a server decodes them. */
const inPath = (value: string) => short(value) && !["../..//", "a/../"].some((start) => value.startsWith(start));
const jsonMembers = (request: Seen) => Object.keys(json(request) ?? {}).length;
const queryFields = ({ url }: Seen) => [...url.searchParams].length;
const formFields = (request: Seen) => [...formOf(request)].length;
const formOf = (request: Seen) => new URLSearchParams(request.body);

const PLACES: readonly Place[] = [
  {
    name: "a segment of the path",
    params: { path: "/a/{{v}}/b" },
    found: ({ url }) => decodeURIComponent(url.pathname.slice("/base/a/".length, -"/b".length)),
    takes: (value) => inPath(value) && !value.startsWith("%2e%2e"),
  },
  {
    name: "a part of a segment",
    params: { path: "/a/x{{v}}y/b" },
    found: ({ url }) => decodeURIComponent(url.pathname.slice("/base/a/x".length, -"y/b".length)),
    takes: inPath,
  },
  {
    name: "a query in the path",
    members: queryFields,
    params: { path: "/a?x={{v}}&y=1" },
    found: ({ url }) => url.searchParams.get("x"),
    takes: short,
  },
  {
    name: "query",
    members: queryFields,
    params: { query: { x: "{{v}}", y: "1" } },
    found: ({ url }) => url.searchParams.get("x"),
    takes: short,
  },
  {
    name: "query with text around it",
    params: { query: { x: "a{{v}}b" } },
    found: ({ url }) => url.searchParams.get("x")?.slice(1, -1),
    takes: short,
  },
  {
    name: "a header",
    params: { headers: { "X-Value": "a{{v}}b" } },
    found: ({ headers }) => headers.get("x-value")?.slice(1, -1),
    // oxlint-disable-next-line no-control-regex
    takes: (value) => short(value) && /^[\t\u0020-\u007e]*$/u.test(value),
  },
  {
    name: "a JSON text's string",
    members: jsonMembers,
    params: { method: "POST", body: '{"x": "a{{v}}b", "y": 1}' },
    found: (request) => String(member(json(request), "x")).slice(1, -1),
  },
  {
    name: "a JSON text's value",
    members: jsonMembers,
    params: { method: "POST", body: '{"x": {{v}}, "y": 1}' },
    found: (request) => member(json(request), "x"),
  },
  {
    name: "a JSON text's name",
    members: jsonMembers,
    params: { method: "POST", body: '{"y": 1, "{{v}} ": 2}' },
    found: (request) =>
      Object.keys(json(request) ?? {})
        .find((name) => name !== "y")
        ?.slice(0, -1),
  },
  {
    name: "an object's member",
    members: jsonMembers,
    params: { method: "POST", body: { x: "{{v}}", y: 1 } },
    found: (request) => member(json(request), "x"),
  },
  {
    name: "a text that is sent as a JSON string",
    params: { method: "POST", body: "it is {{v}}." },
    found: (request) => String(json(request)).slice("it is ".length, -1),
  },
  {
    name: "a form's text",
    members: formFields,
    params: { method: "POST", bodyType: "form", body: "x={{v}}&y=1" },
    found: (request) => formOf(request).get("x"),
  },
  {
    name: "a form's field",
    members: formFields,
    params: { method: "POST", bodyType: "form", body: { x: "{{v}}", y: 1 } },
    found: (request) => formOf(request).get("x"),
  },
  {
    name: "a text",
    params: { method: "POST", bodyType: "text", body: "<{{v}}>" },
    found: ({ body }) => body.slice(1, -1),
  },
];

const VALUES = {
  ...HOSTILE_VALUES,
  DOTS: "a/../../b",
  QUERY: "x&admin=1#",
  ENCODED: "%2e%2e%2f%0d%0a",
  OBJECT: '{"admin":true}',
};

test.each([...PLACES])("a value arrives unchanged, in its place only: $name", async (place) => {
  expect(paramProblems("http.request", place.params, "params")).toEqual([]);
  let cells = 0;
  for (const [name, value] of Object.entries(VALUES)) {
    const outcome = await send(place.params, value);
    const takes = place.takes ?? (() => true);
    if (!takes(value)) {
      expect(`${name} ${outcome.status}`).toBe(`${name} failed`);
      expect(seen).toEqual([]);
    } else {
      expect(`${name} ${outcome.status}`).toBe(`${name} succeeded`);
      const [request] = seen.splice(0);
      if (request === undefined) throw new Error("nothing arrived");
      expect(`${name} ${JSON.stringify(place.found(request))}`).toBe(`${name} ${JSON.stringify(value)}`);
      expect(place.members?.(request) ?? 2).toBe(2);
      expect([...request.headers.keys()].filter((header) => header.startsWith("x-"))).toEqual(
        place.name === "a header" ? ["x-value"] : [],
      );
    }
    cells += 1;
  }
  expect(cells).toBe(Object.keys(VALUES).length);
});

async function send(params: JsonObject, value: JsonValue): Promise<{ status: string; message: string }> {
  const rendered = renderParams("http.request", params, () => value);
  if (!rendered.ok) return { status: "failed", message: rendered.failure.message };
  const outcome = await requestWith({}, { baseUrl: `http://127.0.0.1:${server.port}/base` }, rendered.params);
  return { status: outcome.status, message: outcome.status === "failed" ? outcome.error.message : "" };
}

test.each<[JsonObject, string, string]>([
  [{ headers: { "X-A": "a{{v}}" } }, "b\r\nX-Other: 1", "headers.X-A"],
  [{ headers: { "X-A": "{{v}}" } }, "a\nb", "headers.X-A"],
  [{ headers: { "X-A": "{{v}}" } }, "a\0b", "headers.X-A"],
  [{ headers: { "X-A": "{{v}}" } }, "\u001b[31m", "headers.X-A"],
  [{ headers: { "X-A": "{{v}}" } }, "日本", "X-A"],
  [{ path: "/a/{{v}}" }, "..", "path"],
  [{ path: "/a/.{{v}}/b" }, ".", "path"],
  [{ path: "{{v}}" }, "/../admin", "path"],
  [{ path: "{{v}}" }, "..%2fadmin", "path"],
  [{ path: "/a/{{v}}" }, "../../admin", "path"],
  [{ path: "/a/{{v}}" }, "b\\..\\admin", "path"],
  [{ path: "/a/x{{v}}" }, "/%2E%2e%5cadmin", "path"],
  [{ path: "/a/.{{v}}/b" }, "./admin", "path"],
  [{ path: "/a/..%2f{{v}}" }, "../admin", "path"],
  [{ url: "http://127.0.0.1:1/a/{{v}}?x=1" }, "b/../../admin", "url"],
  [{ path: "{{v}}" }, "/a\r\nX-Other: 1", "path"],
  [{ method: "POST", body: "{{v}}\n" }, "[]", "body"],
  [{ method: "POST", body: "{{v}} " }, '{"admin": true}', "body"],
])("%j with %j fails the node and sends nothing", async (params, value, where) => {
  const { status, message } = await send(params, value);
  expect(status).toBe("failed");
  expect(message).toContain(where);
  expect(seen).toEqual([]);
});

test.each([
  [{ body: '{"a": {{v}},}' }, "is not JSON once its templates are replaced"],
  [{ body: '{"a": "{{v}}}' }, "is not JSON once its templates are replaced"],
  [{ url: "https://example.com{{v}}" }, "write / before the template"],
  [{ url: "https://example.com{{v}}:80/" }, "write / before the template"],
  [{ url: "{{v}}/path" }, "cannot begin with a template"],
])("%j is refused when it is saved, with the right way to write it", (params, why) => {
  expect(
    paramProblems("http.request", params, "params")
      .map(({ message }) => message)
      .join(),
  ).toContain(why);
});

test.each<[JsonObject]>([
  [{ url: "https://example.com/{{v}}" }],
  [{ url: "https://{{v}}.example.com:{{w}}/x" }],
  [{ url: "https://{{v}}" }],
  [{ url: "{{v}}" }],
  [{ body: "{{v}}" }],
  [{ body: "{braces} {{v}}", bodyType: "text" }],
  [{ body: "[alert] {{v}}" }],
])("%j can be saved", (params) => {
  expect(paramProblems("http.request", params, "params")).toEqual([]);
});
