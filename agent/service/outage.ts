import { describeError } from "../log.ts";
import type { Log, LogFields } from "../log.ts";
import { CallError } from "./call-error.ts";

/** The calls that are repeated until they are answered, in the words of the log. */
type Repeated = "registering failed" | "the heartbeat failed" | "polling failed";

/**
 * What repeated calls say alike of a service that does not answer: a warning when the outage begins and when it has another
 * cause, and one line when it is over. The tries between are for DEBUG.
 */
export class Outage {
  readonly #log: Log;
  readonly #failing = new Set<Repeated>();
  readonly #causes = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  failed(what: Repeated, error: unknown, fields: LogFields): void {
    const details = { error: describeError(error), ...fields };
    // Of this machine, say its disk.
    if (!(error instanceof CallError)) return this.#log.warning(what, details);
    this.#failing.add(what);
    // Alike for all calls, and few: the service's own words are not part of it.
    const cause = `${error.failure} ${error.status}`;
    this.#log[this.#causes.has(cause) ? "debug" : "warning"](what, details);
    this.#causes.add(cause);
  }

  answered(what: Repeated): void {
    if (!this.#failing.delete(what) || this.#failing.size > 0) return;
    this.#causes.clear();
    this.#log.info("the service answers again");
  }
}
