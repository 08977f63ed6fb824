import type { MaintenanceHold } from "../../../schema/contract/hold.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { Suppressed } from "../../../schema/contract/maintenance.ts";
import type { MaintenanceWindow } from "../../domain/maintenance.ts";
import type { ExecutionMeta } from "../../store/execution-rows.ts";
import type { RunEvent } from "./engine/types.ts";

/** How an execution enters while a maintenance window is open (docs/design/workflows.md#maintenance-windows). */
export function suppressedEntry(
  { id, name, revision, mode, endsAt }: MaintenanceWindow,
  now: number,
): Extract<RunEvent, { type: "held" | "refused" }> {
  const hold: MaintenanceHold = { code: "maintenance", since: now, window: { id, name, revision } };
  const suppressed = (as: Suppressed["as"]) => ({ suppressed: { windowId: id, as } });
  switch (mode) {
    case "hold":
      return { type: "held", hold: { ...hold, until: endsAt }, supersedes: false, ...suppressed("held") };
    case "ask":
      return { type: "held", hold, supersedes: false, ...suppressed("asked") };
    case "skip": {
      const until = new Date(endsAt).toISOString();
      const message = `The maintenance window "${name}", open until ${until}, skips the runs of this workflow. Run it from the window's list when it is needed.`;
      return {
        type: "refused",
        status: "cancelled",
        error: { code: "skipped_maintenance", message },
        ...suppressed("skipped"),
      };
    }
  }
}

/** Whether no person is waiting for this execution, and no other execution either: windows suppress only these. */
export function isAutomatic({ type }: ExecutionTrigger, { retryOf }: Pick<ExecutionMeta, "retryOf">): boolean {
  return retryOf === null && (type === "webhook" || type === "incident" || type === "cron");
}
