import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { checkParams } from "../../worker/domain/graph/params.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { outputOf, runAction, temporaryState, textOf } from "../support/executor-context.ts";
import { hostileValuesFor } from "../support/hostile-values.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";
import {
  ACCEPTED_BY_BASH,
  ACCEPTED_BY_EVERY_SHELL,
  ACCEPTED_BY_PYTHON,
  type AcceptedPlace,
} from "../support/template-places.ts";

/**
 * From a saved parameter to what a program saw: every hostile value in every place, checked as when a workflow is saved,
 * rendered as when its node starts, and run by the agent's own executors. A place is one job with all of the values.
 */
if (sshdMissing !== null) console.warn(`Tests of templates over SSH are skipped: ${sshdMissing}.`);

let state: { path: string; remove: () => Promise<void> };
let key: TestKey;
let sshd: Sshd | null = null;
beforeAll(async () => {
  state = await temporaryState();
  key = await makeKey();
  if (sshdMissing !== null) return;
  sshd = await Sshd.start({ hostKeyTypes: ["ed25519"] });
  await sshd.authorize(key.publicKey);
}, 30_000);
afterAll(async () => {
  await sshd?.stop();
  await state.remove();
});

const SHELL_PLACES = [...ACCEPTED_BY_EVERY_SHELL, ...ACCEPTED_BY_BASH];
const ACTIONS: readonly [name: string, action: ActionName, params: JsonObject, places: readonly AcceptedPlace[]][] = [
  ["script.bash", "script.bash", {}, SHELL_PLACES],
  ["script.python", "script.python", {}, ACCEPTED_BY_PYTHON],
  ["ssh.executeCommand", "ssh.executeCommand", {}, ACCEPTED_BY_EVERY_SHELL],
  // The same program text on a host: here the places differ that only one of them has.
  ["ssh.executeScript by bash", "ssh.executeScript", { interpreter: "bash" }, ACCEPTED_BY_BASH],
  ["ssh.executeScript by Python", "ssh.executeScript", { interpreter: "python3" }, ACCEPTED_BY_PYTHON.slice(0, 5)],
];

/** How many cells each table has, so that none goes missing unseen. */
const VALUES = Object.keys(hostileValuesFor("")).length;
let cells = 0;

describe.each([...ACTIONS].filter(([name]) => name.startsWith("script") || sshdMissing === null))(
  "%s",
  (name, action, more, places) => {
    const python = /python/iu.test(name);

    test.each([...places])(
      "every hostile value arrives byte for byte, and nothing runs: %s",
      async (place, written) => {
        const canary = `${state.path}/executed`;
        const values = hostileValuesFor(canary);
        // dash loses these bytes in some expansions by its own making; bash and Python carry them everywhere.
        if (action === "ssh.executeCommand") delete values["DASH_MARKS"];
        const names = Object.keys(values);
        const script = python ? pythonScript(written, names) : shellScript(written, names);
        const saved: JsonObject = { ...more, [action === "ssh.executeCommand" ? "command" : "script"]: script };
        expect(checkParams(action, saved, "params")).toEqual([]);
        const rendered = renderParams(action, saved, ([, variable]) => values[variable ?? ""]);
        if (!rendered.ok) throw new Error(rendered.failure.message);
        const outcome = await runAction(action.startsWith("ssh") ? "ssh" : "script", action, {
          ...connection(action),
          params: rendered.params,
          values: { ...rendered.values },
          stateDirectory: state.path,
        });
        const printed = textOf(outputOf(outcome), "stdout").split("\0").slice(0, -1);
        expect(Object.fromEntries(printed.map((text, index) => [names[index], text]))).toEqual(
          Object.fromEntries(names.map((variable) => [variable, `<${values[variable]}>`])),
        );
        expect(await readdir(state.path)).not.toContain("executed");
        cells += names.length;
        expect(place).not.toBe("");
      },
    );
  },
);

test("the table has all of its cells", () => {
  const local = (SHELL_PLACES.length + ACCEPTED_BY_PYTHON.length) * VALUES;
  const remote = ACCEPTED_BY_EVERY_SHELL.length * (VALUES - 1) + (ACCEPTED_BY_BASH.length + 5) * VALUES;
  expect(VALUES).toBeGreaterThan(30);
  expect(cells).toBe(sshdMissing === null ? local + remote : local);
});

function connection(action: ActionName) {
  if (!action.startsWith("ssh") || sshd === null) return {};
  const { host, port, username } = sshd;
  return { config: { host, port, username, authMethod: "privateKey" }, secrets: { privateKey: key.privateKey } };
}

/** A place once for every value, each in a shell of its own, and a NUL behind what it printed. */
function shellScript(place: string, names: readonly string[]): string {
  return names.map((name) => `(\n${withName(place, name)}\n)\nprintf '\\0'\n`).join("");
}

function pythonScript(place: string, names: readonly string[]): string {
  const each = names.map(
    (name) => `${withName(place, name)}\nsys.stdout.buffer.write(b"<" + got.encode() + b">\\0")\n`,
  );
  return `import sys\n${each.join("")}`;
}

function withName(place: string, name: string): string {
  return place.replaceAll("{{v}}", `{{webhook.${name}}}`).replaceAll("{{w}}", "{{webhook.unused}}");
}
