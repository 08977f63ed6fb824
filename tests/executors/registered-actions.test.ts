import { expect, test } from "bun:test";
import { capabilities, loadExecutor } from "../../agent/executors/index.ts";
import { PROTOCOL_1_ACTIONS } from "../../schema/contract/agent-actions.ts";
import { actionsOn } from "../../schema/contract/action.ts";
import { actionsBeside } from "../../worker/domain/abilities.ts";

test("an agent registers exactly the actions that it has an executor for", async () => {
  const registered: string[] = actionsOn(capabilities());
  const executors = await Promise.all(capabilities().map((type) => loadExecutor(type)));
  const implemented = new Set(executors.flatMap((executor) => Object.keys(executor?.actions ?? {})));
  expect(new Set(registered)).toEqual(implemented);
});

test("an older agent, which registers no actions, lacks only the later ones for the dispatcher", () => {
  const registered = actionsOn(capabilities());
  const later = registered.filter((action) => !PROTOCOL_1_ACTIONS.includes(action));
  expect(actionsBeside(registered)?.more ?? []).toEqual(later);
  expect(actionsBeside([...PROTOCOL_1_ACTIONS])).toBeUndefined();
  expect(actionsBeside(["script.bash", "some.other"])?.more).toEqual(["some.other"]);
});
