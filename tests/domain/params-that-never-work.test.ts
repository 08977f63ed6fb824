import { expect, test } from "bun:test";
import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { paramProblems } from "../support/problems.ts";

/** Parameters that no agent accepts, and the path of each problem. */
const NEVER: readonly [ActionName, JsonObject, string][] = [
  ["kubernetes.restartDeployment", { deployment: "web/x" }, "deployment"],
  ["kubernetes.deletePod", { pod: "a/b" }, "pod"],
  ["kubernetes.deletePod", { pod: "a..b" }, "pod"],
  ["kubernetes.deletePod", { pod: "a", namespace: "Shop" }, "namespace"],
  ["kubernetes.getLogs", { pod: "a", container: "a.b" }, "container"],
  ["redis.runCommand", { command: "SUBSCRIBE" }, "command"],
  ["redis.runCommand", { command: "select", arguments: ["1"] }, "command"],
  ["redis.runCommand", { command: "client", arguments: ["reply", "off"] }, "arguments.0"],
  ["http.request", { path: "/a", url: "https://example.com/a" }, "url"],
  ["http.request", { path: "/a/../b" }, "path"],
  ["http.request", { path: "/a/%2e%2e" }, "path"],
  ["http.request", { path: "/a\tb" }, "path"],
  ["http.request", { url: "/only/a/path" }, "url"],
  ["http.request", { url: "ftp://example.com/" }, "url"],
  ["http.request", { url: "https://user:secret@example.com/" }, "url"],
  ["http.request", { headers: { "X Bad": "a" } }, "headers.X Bad"],
  ["http.request", { headers: { "content-length": "1" } }, "headers.content-length"],
  ["http.request", { headers: { "X-A": "日本" } }, "headers.X-A"],
  ["http.request", { headers: { "X-A": "a", "x-a": "b" } }, "headers.x-a"],
];

test.each(NEVER)("%s with %j is a problem when it is saved, and in a dry run", (action, params, path) => {
  expect(paramProblems(action, params).map((problem) => problem.path)).toEqual([`params.${path}`]);
  const rendered = renderParams(action, params, () => undefined);
  expect(rendered).toMatchObject({
    ok: false,
    failure: { code: "invalid_params", message: expect.stringContaining(`${path}: `) },
  });
});

test.each<[ActionName, JsonObject, string]>([
  ["kubernetes.deletePod", { pod: "{{inputs.p}}" }, "a/b"],
  ["kubernetes.deletePod", { pod: "web-{{inputs.p}}" }, "A"],
  ["redis.runCommand", { command: "{{inputs.p}}" }, "MONITOR"],
  ["redis.runCommand", { command: "CLIENT", arguments: ["{{inputs.p}}"] }, "REPLY"],
  ["http.request", { path: "{{inputs.p}}" }, "../x"],
  ["http.request", { path: "{{inputs.p}}" }, "a\nb"],
  ["http.request", { url: "{{inputs.p}}" }, "example.com"],
  ["http.request", { headers: { "X-A": "{{inputs.p}}" } }, "a\r\nb"],
])("%s with %j can be saved, and the value %j is refused in a dry run", (action, params, value) => {
  expect(paramProblems(action, params)).toEqual([]);
  expect(renderParams(action, params, () => value)).toMatchObject({ ok: false, failure: { code: "invalid_params" } });
});

test("path together with url is a problem with any value of their templates", () => {
  const params = { path: "/{{inputs.p}}", url: "https://example.com/{{inputs.p}}" };
  expect(paramProblems("http.request", params).map(({ path }) => path)).toEqual(["params.url"]);
});
