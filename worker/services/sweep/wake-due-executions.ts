import { dueExecutions } from "../../store/executions.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";

/** An alarm does the work on time; the sweeper takes what no alarm took, so it gives the alarm a head start. */
const HEAD_START_MS = 30_000;
const MAX_AT_ONCE = 200;

/** Wakes executions whose time has come and whose alarm was lost, say in a crash between commit and arming. */
export async function wakeDueExecutions(deps: Deps): Promise<void> {
  for (const ref of await dueExecutions(deps.db, deps.now() - HEAD_START_MS, MAX_AT_ONCE)) {
    try {
      await deps.objects.run(ref).wake(ref.executionId);
    } catch (error) {
      logWarning("the sweeper could not wake an execution; it tries again in a minute", {
        executionId: ref.executionId,
        error: String(error),
      });
    }
  }
}
