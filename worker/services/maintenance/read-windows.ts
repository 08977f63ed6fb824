import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import { MAINTENANCE_WINDOWS_MAX } from "../../../schema/limits.ts";
import { decidingWindow, servicesOf, stateOf } from "../../domain/maintenance.ts";
import { findNameAndTags } from "../../store/deleted-workflows.ts";
import { unfinishedWindows } from "../../store/maintenance-windows.ts";
import type { MaintenanceWindowRow } from "../../store/maintenance-windows.ts";
import { BriefMemory } from "../brief-memory.ts";
import type { Deps } from "../deps.ts";

/** Together at most 5 s: a list that is given out was read within that time. */
const KEEP_MS = 2_000;
const STALE_MS = 5_000;

export type ReadWindows = (deps: Pick<Deps, "db" | "now">) => Promise<readonly MaintenanceWindowRow[]>;

/** The windows that have not ended, planned ones too, so that each begins on time. */
export const readWindowsNow: ReadWindows = ({ db, now }) => unfinishedWindows(db, now(), MAINTENANCE_WINDOWS_MAX);

/** The same from this isolate's memory. */
export const readWindows = windowsReader();

/** One isolate's memory of the windows. */
export function windowsReader(): ReadWindows {
  const memory = new BriefMemory<readonly MaintenanceWindowRow[]>({ keepMs: KEEP_MS, staleMs: STALE_MS });
  return (deps) => memory.get(deps.now, () => readWindowsNow(deps));
}

/** The open window that decides on a start of a workflow, whose run may have a key; null outside of windows. */
export async function windowOver(
  deps: Pick<Deps, "db" | "now">,
  { workflowId, trigger }: { workflowId: string; trigger: ExecutionTrigger },
  read: ReadWindows,
  key: string | null = null,
): Promise<MaintenanceWindowRow | null> {
  const windows = await read(deps);
  const now = deps.now();
  const open = windows.filter((window) => stateOf(window, now) === "open");
  if (open.length === 0) return null;
  const asksForTags = open.some(({ tags }) => tags.length > 0);
  const tags = asksForTags ? ((await findNameAndTags(deps.db, workflowId))?.tags ?? []) : [];
  const services = [...servicesOf(trigger), ...(key === null ? [] : [key])];
  return decidingWindow(open, { workflowId, tags, services }, now);
}
