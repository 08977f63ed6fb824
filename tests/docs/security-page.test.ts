import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";
import { ACTIONS, isActionName } from "../../schema/contract/action.ts";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";
import { actionRunsCode, typeRunsCode } from "../../schema/contract/runs-code.ts";

/** As `npm run check` finds them. */
const TEST = /`tests\/[^`]+\.test\.ts`: "[^"]+"/u;

test("each threat on the security page names its actor, its protection and a test", async () => {
  const section = await sectionOf("Threats");
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  const threats = rows.slice(1).map((row) => row.split("|").slice(1, -1));
  expect(threats.length).toBeGreaterThan(25);
  for (const [threat = "", actor = "", stop = "", shown = "", ...more] of threats) {
    expect({ threat, actor: actor.trim() !== "", stop: stop.trim() !== "", more }).toEqual({
      threat,
      actor: true,
      stop: true,
      more: [],
    });
    expect({ threat, shown }).toEqual({ threat, shown: expect.stringMatching(TEST) });
  }
});

test("the page names each connection type and each action that needs code:write", async () => {
  const section = await sectionOf("Who may change what runs code");
  const types = /^Connections of the types (.*?) say/msu.exec(section)?.[1] ?? "";
  expect(codeIn(types).toSorted()).toEqual(CONNECTION_TYPES.filter(typeRunsCode).toSorted());

  const [, ...rows] = section.split("\n").filter((line) => line.startsWith("| "));
  const shown = rows.flatMap((row) => {
    const [, actions = "", without = ""] = row.split("|");
    return codeIn(actions).map((name) => [name, without.trim() !== "none"] as const);
  });
  const names = Object.keys(ACTIONS).filter(isActionName);
  const ofCode = names.filter((name) => typeRunsCode(ACTIONS[name].connectionType));
  const withoutCode = new Set(
    ofCode.filter((name) => [{}, ACTIONS[name].example].some((params) => !actionRunsCode(name, params))).map(allOf),
  );
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(ofCode.map((name) => [allOf(name), withoutCode.has(allOf(name))])),
  );
});

/** `redis.*` for `redis.get`. */
function allOf(action: string): string {
  return action.replace(/[^.]+$/u, "*");
}

function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code);
}

async function sectionOf(title: string): Promise<string> {
  const page = await Bun.file(join(ROOT, "docs/security.md")).text();
  return new RegExp(`^## ${title}$(.*?)^## `, "msu").exec(page)?.[1] ?? "";
}
