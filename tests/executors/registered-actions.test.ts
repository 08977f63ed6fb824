import { expect, test } from "bun:test";
import { capabilities, loadExecutor } from "../../agent/executors/index.ts";
import { actionsOn } from "../../schema/contract/action.ts";
import { actionsBeside } from "../../worker/domain/abilities.ts";

test("an agent registers every action that it has an executor for, and no other", async () => {
  const registered: string[] = actionsOn(capabilities());
  const executors = await Promise.all(capabilities().map((type) => loadExecutor(type)));
  const implemented = new Set(executors.flatMap((executor) => Object.keys(executor?.actions ?? {})));
  expect(new Set(registered)).toEqual(implemented);
});

test("to dispatch it differs from no older agent, which registers none", () => {
  expect(actionsBeside(actionsOn(capabilities()))).toBeUndefined();
  expect(actionsBeside(["script.bash", "redis.get"])?.more).toEqual(["redis.get"]);
});
