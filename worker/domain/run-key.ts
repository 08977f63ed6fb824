import type { RunLimits } from "../../schema/contract/limit-group.ts";
import type { Suppressed } from "../../schema/contract/maintenance.ts";

interface Keys {
  readonly concurrencyKey: string | null;
  readonly limits: RunLimits | null;
  /** Before a suppressed execution begins, it has no other keys. */
  readonly suppressed?: Suppressed | null;
}

/**
 * The value that distinguishes an execution from others of its workflow, such as a service: the key of one run at a
 * time, or else of a limit; null without one. Keys have no sensitive values (`worker/domain/graph/trigger-key.ts`).
 */
export function runKeyOf({ concurrencyKey, limits, suppressed }: Keys): string | null {
  const keys = [concurrencyKey, suppressed?.key, ...(limits?.uses ?? []).map(({ key }) => key)];
  return keys.find((key) => typeof key === "string" && key !== "") ?? null;
}
