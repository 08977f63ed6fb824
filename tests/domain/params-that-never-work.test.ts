import { expect, test } from "bun:test";
import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { paramProblems } from "../support/problems.ts";

/** Parameters that no agent takes, and the path of each problem. */
const NEVER: readonly [ActionName, JsonObject, string][] = [
  ["kubernetes.restartDeployment", { deployment: "web/x" }, "deployment"],
  ["kubernetes.deletePod", { pod: "a/b" }, "pod"],
  ["kubernetes.deletePod", { pod: "a..b" }, "pod"],
  ["kubernetes.deletePod", { pod: "a", namespace: "Shop" }, "namespace"],
  ["kubernetes.getLogs", { pod: "a", container: "a.b" }, "container"],
  ["redis.runCommand", { command: "SUBSCRIBE" }, "command"],
  ["redis.runCommand", { command: "select", arguments: ["1"] }, "command"],
  ["redis.runCommand", { command: "client", arguments: ["reply", "off"] }, "arguments.0"],
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
])("%s with %j can be saved, and the value %j is refused in a dry run", (action, params, value) => {
  expect(paramProblems(action, params)).toEqual([]);
  expect(renderParams(action, params, () => value)).toMatchObject({ ok: false, failure: { code: "invalid_params" } });
});
