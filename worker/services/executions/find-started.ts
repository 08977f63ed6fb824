import { findExecution } from "../../store/execution-reads.ts";
import type { ExecutionRow } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { mintedAt } from "../ids.ts";
import { notFound } from "../not-found.ts";

/** An accepted event usually starts within milliseconds; while libSQL is unavailable, it takes until libSQL is back. */
const STARTING_MS = 10 * 60_000;
const WAIT_MS = 2_000;
const LOOK_EVERY_MS = 50;

/**
 * The execution's row. A webhook answers as soon as its event is durable, so its execution may not be in libSQL yet:
 * for a newly minted id, this waits a moment, so that a client can follow the answer immediately.
 */
export async function findStartedExecution(deps: Deps, id: string): Promise<ExecutionRow> {
  const giveUpAt = deps.now() + WAIT_MS;
  for (;;) {
    const row = await findExecution(deps.db, id);
    if (row !== null) return row;
    const at = mintedAt("execution", id);
    const mayBeStarting = at !== null && Math.abs(deps.now() - at) < STARTING_MS;
    if (!mayBeStarting || deps.now() >= giveUpAt) throw notFound("execution", id);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
