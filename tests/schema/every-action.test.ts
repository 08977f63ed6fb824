import { describe, expect, test } from "bun:test";
import { SCALAR_OUTPUTS } from "../../schema/contract/action-outputs.ts";
import { ACTIONS, effectOf, isActionName } from "../../schema/contract/action.ts";
import type { Effect } from "../../schema/contract/action.ts";
import { PROTOCOL_1_ACTIONS } from "../../schema/contract/agent-actions.ts";
import { actionRunsCode } from "../../schema/contract/runs-code.ts";

/**
 * What each action does, as reviewed by a person: the effect of running it twice, and whether it needs `code:write`. If
 * parameters decide, the first value is without parameters, the second with those of the example.
 */
const REVIEWED: Readonly<Record<string, readonly [Effect | `${Effect}, ${Effect}`, string]>> = {
  "chat.addReaction": ["idempotent", "no code"],
  "chat.sendMessage": ["unsafe", "no code"],
  "chat.updateMessage": ["idempotent", "no code"],
  "database.executeQuery": ["unsafe, read", "code, no code"],
  "email.sendEmail": ["unsafe", "no code"],
  "http.request": ["read, unsafe", "no code, code"],
  "kubernetes.deletePod": ["unsafe", "code"],
  "kubernetes.getLogs": ["read", "code"],
  "kubernetes.restartDeployment": ["unsafe", "code"],
  "kubernetes.rollbackDeployment": ["unsafe", "code"],
  "kubernetes.scaleDeployment": ["idempotent", "code"],
  "notification.sendNotification": ["unsafe", "no code"],
  "os.restartOS": ["unsafe", "no code"],
  "os.restartService": ["unsafe", "no code"],
  "os.startService": ["idempotent", "no code"],
  "os.stopService": ["idempotent", "no code"],
  "redis.get": ["read", "no code"],
  "redis.runCommand": ["unsafe", "code"],
  "script.bash": ["unsafe", "code"],
  "script.powershell": ["unsafe", "code"],
  "script.python": ["unsafe", "code"],
  "ssh.executeCommand": ["unsafe", "code"],
  "ssh.executeScript": ["unsafe", "code"],
  "teamchat.sendAdaptiveCard": ["unsafe", "no code"],
  "teamchat.sendMessage": ["unsafe", "no code"],
  "ticketing.addComment": ["unsafe", "no code"],
  "ticketing.createIssue": ["unsafe", "no code"],
  "ticketing.transitionIssue": ["unsafe", "no code"],
  "ticketing.updateIssue": ["idempotent", "no code"],
  "winrm.executeCommand": ["unsafe", "code"],
  "winrm.executeScript": ["unsafe", "code"],
};

/** The actions of agents of protocol 1. Those agents never learn another action, so this list never grows. */
const AT_PROTOCOL_1 = [
  "chat.addReaction",
  "chat.sendMessage",
  "chat.updateMessage",
  "database.executeQuery",
  "email.sendEmail",
  "http.request",
  "kubernetes.deletePod",
  "kubernetes.getLogs",
  "kubernetes.restartDeployment",
  "kubernetes.rollbackDeployment",
  "kubernetes.scaleDeployment",
  "notification.sendNotification",
  "os.restartOS",
  "os.restartService",
  "os.startService",
  "os.stopService",
  "script.bash",
  "script.powershell",
  "script.python",
  "ssh.executeCommand",
  "ssh.executeScript",
  "teamchat.sendAdaptiveCard",
  "teamchat.sendMessage",
  "ticketing.addComment",
  "ticketing.createIssue",
  "ticketing.transitionIssue",
  "ticketing.updateIssue",
  "winrm.executeCommand",
  "winrm.executeScript",
];

const TYPE_LABELS: Readonly<Record<string, string>> = { text: "text", number: "a number", boolean: "true or false" };
const scalars: Readonly<Record<string, string>> = SCALAR_OUTPUTS;
const names = Object.keys(ACTIONS).filter(isActionName);

describe.each(names)("%s", (name) => {
  const { label, fields, output, example, params } = ACTIONS[name];

  test("accepts its example", () => expect(params.safeParse(example).error?.issues ?? []).toEqual([]));

  test("has an output, and a label for the action, its parameters and its output", () => {
    expect(Object.keys(output)).not.toEqual([]);
    const texts = [label, ...[fields, output].flatMap((all) => Object.values(all)).flatMap(textsOf)];
    expect(texts.filter((text) => text.trim() === "")).toEqual([]);
  });

  test("has the reviewed effect and need of code:write", () => {
    const of = <T>(read: (given: typeof example) => T): string => [...new Set([{}, example].map(read))].join(", ");
    const found = [
      of((given) => effectOf(name, given)),
      of((given) => (actionRunsCode(name, given) ? "code" : "no code")),
    ];
    expect({ name, found }).toEqual({ name, found: [...(REVIEWED[name] ?? ["enter its row in REVIEWED"])] });
  });

  test("has the scalar outputs of SCALAR_OUTPUTS", () => {
    for (const [value, { type }] of Object.entries(output)) {
      if (Object.hasOwn(scalars, value))
        expect({ value, is: TYPE_LABELS[type] }).toEqual({ value, is: scalars[value] });
    }
  });
});

test("every reviewed action exists", () => {
  expect(Object.keys(REVIEWED).filter((name) => !isActionName(name))).toEqual([]);
});

test("agents of protocol 1 get the actions of that time and no others", () => {
  expect(PROTOCOL_1_ACTIONS.toSorted()).toEqual(AT_PROTOCOL_1);
});

function textsOf({ label, help }: { readonly label?: string; readonly help?: string }): string[] {
  return [label ?? [], help ?? []].flat();
}
