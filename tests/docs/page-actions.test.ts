import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";
import { ACTIONS, effectOf, isActionName, runsOn } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { statedFactsOf } from "../support/page-actions.ts";
import { namesOf } from "../support/schema-names.ts";

const names = Object.keys(ACTIONS).filter(isActionName);

describe.each([...CONNECTION_TYPES])("the page of %s", (type) => {
  const actions = names.filter((action) => runsOn(action, type));
  test.each(actions)("has the effect, the parameters and the output of %s", async (action) => {
    const { effects, named, listed, rows } = statedFactsOf(action, await actionsSection(type), actions);
    const { params, output } = ACTIONS[action];
    const parameters = namesOf(params);
    expect({ action, effects }).toEqual({ action, effects: effectsOf(action) });
    const missing = [...parameters, ...Object.keys(output)].filter((name) => !named.has(name));
    expect({ action, missing }).toEqual({ action, missing: [] });
    const without = rows === null ? [] : parameters.filter((name) => !rows.includes(name));
    expect({ action, without }).toEqual({ action, without: [] });
    if (listed.length > 0)
      expect({ action, listed: listed.toSorted() }).toEqual({ action, listed: parameters.toSorted() });
  });
});

function effectsOf(action: ActionName): string[] {
  return [...new Set([{}, ACTIONS[action].example].map((params) => effectOf(action, params)))].toSorted();
}

async function actionsSection(type: ConnectionType): Promise<string> {
  const page = await Bun.file(join(ROOT, `docs/connections/${type}.md`)).text();
  return /^## Actions$(.*?)^## /msu.exec(page)?.[1] ?? "";
}
