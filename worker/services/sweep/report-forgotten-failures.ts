import { failureMessage } from "../../store/errors.ts";
import { claimUnreported } from "../../store/unreported-failures.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";

const REPORTS_AT_ONCE = 20;
/** No further reports begin after this time. One takes up to 15 s when a failure workflow does not start. */
const REPORTS_MAX_MS = 20_000;

/** Starts the failure workflows of failed executions that may not all have started: after a crash, or a failed start. */
export async function reportForgottenFailures(deps: Deps): Promise<void> {
  const endAt = deps.now() + REPORTS_MAX_MS;
  while (deps.now() < endAt) {
    const claimed = await claimUnreported(deps.db, deps.now(), REPORTS_AT_ONCE);
    if (claimed.length === 0) return;
    await Promise.all(
      claimed.map(async ({ executionId, workflowId }) => {
        try {
          await deps.objects.workflowRuns({ workflowId }).reportFailure(executionId);
        } catch (error) {
          const fields = { executionId, error: failureMessage(error) };
          logWarning("the sweeper could not report a failed execution; it tries again later", fields);
        }
      }),
    );
  }
}
