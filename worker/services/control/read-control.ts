import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { NOT_PAUSED } from "../../domain/control.ts";
import type { ControlState } from "../../domain/control.ts";
import { failureMessage } from "../../store/errors.ts";
import { BriefMemory } from "../brief-memory.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";

/** Together less than PAUSE_FOLLOWED_WITHIN_MS: a state that is given out was read within that time. */
const KEEP_MS = 2_000;
const STALE_MS = 3_000;
const READ_LIMIT_MS = 1_500;
/** While none is known, as after a start under load: without an answer, jobs are given out. */
const FIRST_READ_LIMIT_MS = 5_000;

type ReadControl = (deps: Pick<Deps, "objects" | "now">) => Promise<ControlState>;

/**
 * Whether the deployment is paused, from this isolate's memory or from the control object. Never throws: while the
 * object does not answer, its last known state counts.
 */
export const readControl = controlReader();

/** One isolate's memory of the control object. */
export function controlReader(limits = { readMs: READ_LIMIT_MS, firstReadMs: FIRST_READ_LIMIT_MS }): ReadControl {
  const memory = new BriefMemory<ControlState>({ keepMs: KEEP_MS, staleMs: STALE_MS });
  let known: ControlState | null = null;
  return ({ objects, now }) =>
    memory.get(now, async () => {
      try {
        const read = (limitMs: number) => withTimeout(limitMs, "reading the pause", objects.control().read());
        const asked = now();
        if (known === null) {
          known = await read(limits.firstReadMs);
          // An answer that took longer may be too old.
          if (now() - asked <= limits.readMs) return known;
        }
        known = await read(limits.readMs);
      } catch (error) {
        logWarning("the control object does not answer; its last known state counts", { error: failureMessage(error) });
      }
      return known ?? NOT_PAUSED;
    });
}
