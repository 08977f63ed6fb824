import { describe, expect, test } from "bun:test";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { ConnectionRoute } from "../../worker/actors/run/engine/types.ts";
import { referencesOf, replaceReferences } from "../../worker/domain/workflow-file/references.ts";
import { action, define, Engine, LOOKUP, ROUTES } from "./engine.ts";
import { definitionProblems } from "../support/problems.ts";

/**
 * Scripts that get the secrets of a custom connection in addition to the connection that they run on
 * (docs/design/connections.md#secrets-for-scripts).
 */
const route = (type: ConnectionType, enabled = true) => ({
  type,
  enabled,
  name: "secrets",
  targets: null,
  poolObject: null,
  pinnedAgentId: null,
});
const routes: Readonly<Record<string, ConnectionRoute>> = {
  ...ROUTES,
  custom: route("custom"),
  off: route("custom", false),
};

function problems(node: JsonObject): [path: string, message: string][] {
  const connection = (id: string) => {
    const found = routes[id];
    return found === undefined ? null : { ...found, assigned: found.poolObject !== null };
  };
  return definitionProblems(define([node], []), { type: "webhook" }, { ...LOOKUP, connection }).map(
    ({ path, message }) => [path, message],
  );
}

const script = (secretsFrom: string, more: JsonObject = {}) =>
  action("run", { params: { script: 'deploy "$TOKEN"', secretsFrom }, ...more });

describe("a script that gets the secrets of a custom connection", () => {
  test.each<[string, JsonObject]>([
    ["script.bash", {}],
    ["script.python", { action: "script.python", params: { script: "print()", secretsFrom: "custom" } }],
    ["script.powershell", { action: "script.powershell", params: { script: "Get-Date", secretsFrom: "custom" } }],
    [
      "ssh.executeCommand",
      { action: "ssh.executeCommand", connectionId: "ssh", params: { command: "id", secretsFrom: "custom" } },
    ],
    [
      "ssh.executeScript",
      { action: "ssh.executeScript", connectionId: "ssh", params: { script: "id", secretsFrom: "custom" } },
    ],
  ])("may be a script of %s", (_action, more) => {
    expect(problems(script("custom", more))).toEqual([]);
  });

  test.each([
    ["nowhere", "there is no connection nowhere"],
    ["ssh", "only the secrets of a custom connection"],
    ["off", "is disabled"],
    ["{{webhook.whose}}", "takes no template"],
    ["cust{{webhook.rest}}", "takes no template"],
    ["not an id", "must match"],
    ["", "must match"],
  ])("is not saved with %j", (id, message) => {
    const found = problems(script(id));
    expect(found.map(([path]) => path)).toEqual(["nodes.0.params.secretsFrom"]);
    expect(found[0]?.[1]).toContain(message);
  });

  test("is recognized by its field secretsFrom, even where another action has a value of that name", () => {
    const [path] =
      problems(
        action("call", { action: "http.request", connectionId: "http", params: { secretsFrom: "custom" } }),
      )[0] ?? [];
    expect(path).toBe("nodes.0.params.secretsFrom");
  });

  test.each([
    ["nowhere", "does not exist"],
    ["ssh", "is of type ssh"],
    ["off", "is disabled"],
  ])("fails when it runs with %s, like a script whose own connection is wrong", (id, why) => {
    const engine = Engine.start([script(id)], [], { routes });
    expect(engine.run("run")).toMatchObject({ status: "failed", error: { code: "secrets_unavailable" } });
    expect(engine.run("run").error?.message).toContain(why);
  });

  test("runs, and its job names the connection", () => {
    const engine = Engine.start([script("custom")], [], { routes });
    expect(engine.run("run").status).toBe("running");
  });
});

describe("a workflow file", () => {
  const body = { nodes: [script("deploy")], edges: [] };
  const definition = {
    nodes: [script("deploy"), { id: "each", type: "forEach", items: "[1]", body }],
    edges: [],
  };

  test("translates the connection whose secrets a script gets, also inside a forEach", () => {
    expect(referencesOf(definition)).toEqual([
      { field: "connectionId", id: "script", path: "nodes.0.connectionId" },
      { field: "connectionId", id: "deploy", path: "nodes.0.params.secretsFrom" },
      { field: "connectionId", id: "script", path: "nodes.1.body.nodes.0.connectionId" },
      { field: "connectionId", id: "deploy", path: "nodes.1.body.nodes.0.params.secretsFrom" },
    ]);
    const moved = replaceReferences(definition, (_field, id) => `con_${id}`);
    expect(referencesOf(moved).map(({ id }) => id)).toEqual(["con_script", "con_deploy", "con_script", "con_deploy"]);
    expect(JSON.stringify(moved)).toContain('"script":"deploy \\"$TOKEN\\""');
  });

  test("does not translate a parameter of another action that is called secretsFrom", () => {
    const node = {
      id: "a",
      type: "action",
      action: "http.request",
      params: { body: { secretsFrom: "x" }, secretsFrom: "x" },
    };
    expect(referencesOf({ nodes: [node], edges: [] })).toEqual([]);
  });
});

describe("params.env of a script", () => {
  test.each(["PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "Path"])(
    "takes no template in %s, which would decide what runs",
    (name) => {
      const found = problems(
        action("run", { params: { script: "id", env: { [name]: "/opt/{{webhook.x}}", X: "{{webhook.x}}" } } }),
      );
      expect(found.map(([path]) => path)).toEqual([`nodes.0.params.env.${name}`]);
      expect(problems(action("run", { params: { script: "id", env: { [name]: "/opt/bin" } } }))).toEqual([]);
    },
  );

  test("has no name that begins with bellhop_, with any value", () => {
    const found = problems(action("run", { params: { script: "id", env: { BELLHOP_VALUE_1: "x" } } }));
    expect(found.map(([path]) => path)).toEqual(["nodes.0.params.env.BELLHOP_VALUE_1"]);
  });
});
