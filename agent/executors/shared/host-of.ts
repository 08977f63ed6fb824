import type { Place } from "../../../schema/contract/target-list.ts";
import type { ExecutorContext } from "../executor.ts";
import { ExecutorFailure } from "./failures.ts";

/** The host of a job: the connection's, or the one of its several that the job names. */
export function hostOf({ place }: ExecutorContext, { host, port }: { host?: string | undefined; port: number }): Place {
  if (place !== null) return place;
  if (host !== undefined) return { host, port };
  throw new ExecutorFailure(
    "invalid_config",
    "The connection has no host. Set host, or targets with a target in the step.",
  );
}
