import { ACTIONS } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Executor, ExecutorContext } from "../executor.ts";
import { checkServiceManager } from "./checks.ts";
import { restartOs } from "./restart-os.ts";
import { controlUnit } from "./control-unit.ts";
import type { ServiceVerb } from "./unit-state.ts";
import { controlWindowsService } from "./windows-service.ts";
import { action, parsed } from "../shared/failures.ts";

const NAMES = { start: "os.startService", stop: "os.stopService", restart: "os.restartService" } as const;

/** Services of the agent's own host: systemd's on Linux, Windows services through PowerShell. No user units. */
export const executor: Executor<"osService"> = {
  actions: {
    "os.startService": action((context) => control("start", context)),
    "os.stopService": action((context) => control("stop", context)),
    "os.restartService": action((context) => control("restart", context)),
    "os.restartOS": action(async (context) => {
      const { delaySeconds } = parsed(ACTIONS["os.restartOS"].params, context.params, "invalid_params");
      return await restartOs(delaySeconds, context);
    }),
  },
  test: checkServiceManager,
};

async function control(verb: ServiceVerb, context: ExecutorContext): Promise<JsonObject> {
  const { service } = parsed(ACTIONS[NAMES[verb]].params, context.params, "invalid_params");
  if (process.platform === "win32") return await controlWindowsService(verb, service, context);
  return await controlUnit(verb, service, context);
}
