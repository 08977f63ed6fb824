import { describe, expect, test } from "bun:test";
import type { Role } from "../../schema/contract/people.ts";
import { isUsableIn, mayRun, mayUse } from "../../worker/domain/credential/may-use.ts";

const NO_ONE = { people: [], roles: [], workflows: [] };

describe("a connection", () => {
  test.each<[string, Parameters<typeof mayUse>[0], Parameters<typeof mayUse>[1], boolean]>([
    ["that everyone may use", null, { person: "usr_1", role: "viewer" }, true],
    ["that everyone may use, by a caller that is no person", null, { person: null, role: null }, true],
    ["that names the person", { ...NO_ONE, people: ["usr_1"] }, { person: "usr_1", role: "viewer" }, true],
    ["that names another person", { ...NO_ONE, people: ["usr_2"] }, { person: "usr_1", role: "admin" }, false],
    ["that names the person's role", { ...NO_ONE, roles: ["editor"] }, { person: "usr_1", role: "editor" }, true],
    ["that names a lower role", { ...NO_ONE, roles: ["editor"] }, { person: "usr_1", role: "admin" }, false],
    ["that names only a workflow", { ...NO_ONE, workflows: ["wf_1"] }, { person: "usr_1", role: "admin" }, false],
    ["that names roles, by a caller without one", { ...NO_ONE, roles: ["admin"] }, { person: null, role: null }, false],
    ["that names no one", NO_ONE, { person: "usr_1", role: "admin" }, false],
  ])("%s (%j) may be used by %j: %p", (_which, usableBy, who, expected) => {
    expect(mayUse(usableBy, who)).toBe(expected);
  });
});

test("a workflow may use a connection that names it or that everyone may use", () => {
  const named = { ...NO_ONE, workflows: ["wf_1"] };
  expect([isUsableIn(named, "wf_1"), isUsableIn(named, "wf_2"), isUsableIn(named, null)]).toEqual([true, false, false]);
  expect([isUsableIn(null, "wf_2"), isUsableIn(null, null)]).toEqual([true, true]);
});

describe("a job", () => {
  const ROLES: Readonly<Record<string, Role>> = { usr_admin: "admin", usr_editor: "editor" };
  const roleOf = (person: string) => ROLES[person] ?? null;
  const LISTED = { people: ["usr_gone", "usr_editor"], roles: [], workflows: ["wf_1"] };
  test.each<[string, Parameters<typeof mayRun>[1], boolean]>([
    ["of a listed workflow", { kind: "action", workflowId: "wf_1", onBehalfOf: null }, true],
    ["that a listed person published", { kind: "action", workflowId: "wf_2", onBehalfOf: "usr_editor" }, true],
    ["that another person published", { kind: "action", workflowId: "wf_2", onBehalfOf: "usr_admin" }, false],
    ["that no one published", { kind: "action", workflowId: "wf_2", onBehalfOf: null }, false],
    ["of an older service, which names no person", { kind: "action", workflowId: "wf_2" }, false],
    [
      "of a listed person who is deleted or disabled",
      { kind: "action", workflowId: "wf_2", onBehalfOf: "usr_gone" },
      false,
    ],
    ["that tests, for a listed person", { kind: "connectionTest", workflowId: null, onBehalfOf: "usr_editor" }, true],
    [
      "that tests, for a person who may change the list",
      { kind: "connectionTest", workflowId: null, onBehalfOf: "usr_admin" },
      true,
    ],
    ["that tests, for a deleted person", { kind: "connectionTest", workflowId: null, onBehalfOf: "usr_gone" }, false],
  ])("%s (%j) may run: %p", (_which, facts, expected) => {
    expect(mayRun(LISTED, facts, roleOf)).toBe(expected);
  });
});
