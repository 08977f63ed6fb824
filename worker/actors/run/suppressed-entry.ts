import type { SuppressingWindow } from "../../../schema/contract/hold.ts";
import type { Suppressed } from "../../../schema/contract/maintenance.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import { EVENT_TRIGGERS } from "../../domain/execution-state.ts";
import type { MaintenanceWindow } from "../../domain/maintenance.ts";
import type { ExecutionMeta } from "../../store/execution-rows.ts";
import type { RunEvent } from "./engine/types.ts";
import { shownTime } from "../../domain/shown-time.ts";

/** How an execution enters while a maintenance window is open (docs/design/workflows.md#maintenance-windows). */
export function suppressedEntry(
  { id, name, revision, mode, endsAt }: MaintenanceWindow,
  key: string | null,
  now: number,
): Extract<RunEvent, { type: "held" | "refused" }> {
  const window = { id, name, revision };
  switch (mode) {
    case "hold": {
      const hold = { code: "maintenance", since: now, window, until: endsAt } as const;
      return { type: "held", hold, supersedes: false, suppressed: suppressed(id, "held", key) };
    }
    case "ask":
      return askedEntry(window, key, now);
    case "skip": {
      const message = `The maintenance window "${name}", open until ${shownTime(endsAt)}, skips the runs of this workflow. Run it from the window's list when it is needed.`;
      return {
        type: "refused",
        status: "cancelled",
        error: { code: "skipped_maintenance", message },
        suppressed: suppressed(id, "skipped", key),
      };
    }
  }
}

/** How an execution enters that waits for a person to begin it. */
export function askedEntry(
  window: SuppressingWindow,
  key: string | null,
  now: number,
): Extract<RunEvent, { type: "held" }> {
  const hold = { code: "maintenance", since: now, window } as const;
  return { type: "held", hold, supersedes: false, suppressed: suppressed(window.id, "asked", key) };
}

function suppressed(windowId: string, as: Suppressed["as"], key: string | null): Suppressed {
  return key === null ? { windowId, as } : { windowId, as, key };
}

/** Whether no person is waiting for this execution, and no other execution either: windows suppress only these. */
export function isAutomatic({ type }: ExecutionTrigger, { retryOf }: Pick<ExecutionMeta, "retryOf">): boolean {
  return retryOf === null && EVENT_TRIGGERS.some((event) => event === type);
}
