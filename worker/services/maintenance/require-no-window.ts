import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";
import { readWindowsNow, windowOver } from "./read-windows.ts";
import { shownTime } from "../../domain/shown-time.ts";

/** Throws `maintenance` when a window applies to what a person starts: the person may not know of it. */
export async function requireNoWindow(
  deps: Deps,
  subject: { workflowId: string; trigger: ExecutionTrigger },
  key: string | null = null,
): Promise<void> {
  const window = await windowOver(deps, subject, readWindowsNow, key);
  if (window === null) return;
  const reason = window.reason === null ? "" : ` (${window.reason})`;
  throw new ProblemError(
    "maintenance",
    `The maintenance window "${window.name}"${reason} is open until ${shownTime(window.endsAt)}. Wait for its end, or send ignoreMaintenance: true.`,
  );
}
