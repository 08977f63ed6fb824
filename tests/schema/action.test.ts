import { describe, expect, test } from "bun:test";
import { ACTIONS, codeLanguage, effectOf, isActionName, runsOn } from "../../schema/contract/action.ts";
import type { ActionName, CodeLanguage, Effect } from "../../schema/contract/action.ts";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";

const names = Object.keys(ACTIONS).filter(isActionName);

describe("actions", () => {
  test("every code parameter is one of the action's parameters", () => {
    for (const name of names) {
      for (const param of Object.keys(ACTIONS[name].code)) {
        // An unknown key is an `unrecognized_keys` issue; a known key with a number is not.
        const issues = ACTIONS[name].params.safeParse({ [param]: 1 }).error?.issues ?? [];
        expect(issues.some((issue) => issue.code === "unrecognized_keys")).toBe(false);
      }
    }
  });

  test("unknown parameters are refused", () => {
    for (const name of names) {
      const issues = ACTIONS[name].params.safeParse({ noSuchParameter: 1 }).error?.issues ?? [];
      expect(issues.some((issue) => issue.code === "unrecognized_keys")).toBe(true);
    }
  });

  const effects: [ActionName, Record<string, unknown>, Effect][] = [
    ["http.request", {}, "read"],
    ["http.request", { method: "GET" }, "read"],
    ["http.request", { method: "HEAD" }, "read"],
    ["http.request", { method: "POST" }, "unsafe"],
    ["http.request", { method: "DELETE" }, "unsafe"],
    ["database.executeQuery", { readOnly: true }, "read"],
    ["database.executeQuery", {}, "unsafe"],
  ];
  for (const [action, params, expected] of effects) {
    test(`${action} ${JSON.stringify(params)} is ${expected}`, () => {
      expect(effectOf(action, params)).toBe(expected);
    });
  }

  test("an action runs on a connection of its type, and a script also on a custom connection", () => {
    for (const action of names) {
      for (const type of CONNECTION_TYPES) {
        const own = ACTIONS[action].connectionType === type;
        expect(runsOn(action, type)).toBe(own || (type === "custom" && action.startsWith("script.")));
      }
    }
  });

  const languages: [string | undefined, CodeLanguage | "unknown"][] = [
    [undefined, "bash"],
    ["sh", "sh"],
    ["/usr/bin/python3", "python"],
    ["python3.11", "python"],
    ["pwsh", "powershell"],
    ["/usr/bin/perl", "unknown"],
  ];
  for (const [interpreter, expected] of languages) {
    test(`a remote script for ${interpreter ?? "the default interpreter"} is ${expected}`, () => {
      expect(codeLanguage("ssh.executeScript", "script", { interpreter })).toBe(expected);
    });
  }
});
