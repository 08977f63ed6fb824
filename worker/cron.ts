import { pushBehindAgents } from "./services/agents/push-agent.ts";
import { createDeps } from "./services/deps.ts";
import type { Deps } from "./services/deps.ts";
import type { Env } from "./env.ts";
import { logError } from "./services/log.ts";
import { confirmOldJobs } from "./services/sweep/confirm-jobs.ts";
import { wakeDueExecutions } from "./services/sweep/wake-due-executions.ts";
import { pushBehindGates } from "./services/workflows/push-gate.ts";

const PUSHES_AT_ONCE = 200;

const DUTIES: Record<string, (deps: Deps) => Promise<void>> = {
  wakeDueExecutions,
  confirmOldJobs,
  pushBehindGates: (deps) => pushBehindGates(deps, PUSHES_AT_ONCE),
  pushBehindAgents: (deps) => pushBehindAgents(deps, PUSHES_AT_ONCE),
};

/** What the Cron Trigger does every minute: it sweeps what fell between. One duty's failure stops no other. */
export async function runTick(env: Env): Promise<void> {
  const deps = createDeps(env);
  for (const [duty, perform] of Object.entries(DUTIES)) {
    try {
      await perform(deps);
    } catch (error) {
      logError("a duty of the minute failed; it is tried again in a minute", { duty, error: String(error) });
    }
  }
}
