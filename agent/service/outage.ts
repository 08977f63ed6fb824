import { describeError } from "../log.ts";
import type { Log, LogFields } from "../log.ts";
import { CallError } from "./call-error.ts";

/** Calls that are repeated until they are answered, as the log names them. */
type Repeated = "registering failed" | "the heartbeat failed" | "polling failed";

/**
 * Logs an outage for all repeated calls together: a warning at its start and for each further cause, and one line at
 * its end. Other attempts are logged as DEBUG.
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
    // An error of this machine, such as of its disk.
    if (!(error instanceof CallError)) return this.#log.warning(what, details);
    this.#failing.add(what);
    // Without the service's own text, so that the causes are few and the same for all calls.
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
