import type { JsonObject } from "../../../schema/contract/json.ts";
import { setMaintenanceWindowSchema } from "../../../schema/contract/maintenance.ts";
import { MAINTENANCE_WINDOWS_MAX } from "../../../schema/limits.ts";
import { unfinishedWindows } from "../../store/maintenance-windows.ts";
import type { MaintenanceWindowRow } from "../../store/maintenance-windows.ts";
import { findWorkflowNames } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";

export type WindowFields = Omit<MaintenanceWindowRow, "id" | "revision" | "createdAt" | "updatedAt">;

/** The columns of a window in a request. Workflows that the window named before may have been deleted since. */
export async function checkWindow(
  deps: Deps,
  input: unknown,
  before: MaintenanceWindowRow | null,
): Promise<WindowFields> {
  const { startsAt, endsAt, reason, workflowIds, ...rest } = parseInput(setMaintenanceWindowSchema, input);
  const fields = {
    ...rest,
    reason: reason == null || reason === "" ? null : reason,
    startsAt: Date.parse(startsAt),
    endsAt: Date.parse(endsAt),
    workflowIds: [...new Set(workflowIds)],
    tags: [...new Set(rest.tags)],
    services: [...new Set(rest.services)],
  };
  const unknown = workflowIds.filter((id) => before?.workflowIds.includes(id) !== true);
  const known = unknown.length === 0 ? [] : (await findWorkflowNames(deps.db, unknown)).map(({ id }) => id);
  const missing = unknown.filter((id) => !known.includes(id));
  const message = "there is no workflow of this id: GET /workflows lists them";
  const errors = missing.map((id) => ({ path: `workflowIds.${workflowIds.indexOf(id)}`, message }));
  if (before === null && fields.endsAt <= deps.now()) errors.push({ path: "endsAt", message: "must be in the future" });
  if (errors.length > 0) throw invalidInput(errors);
  await requireRoom(deps, fields, before);
  return fields;
}

/** Names and times for the audit log. */
export function windowDetail({ name, mode, startsAt, endsAt, ...fields }: WindowFields): JsonObject {
  const { reason, everything, workflowIds, tags, services } = fields;
  const times = { startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
  return {
    name,
    mode,
    ...times,
    ...(reason === null ? {} : { reason }),
    ...(everything ? { everything } : { workflowIds, tags, services }),
  };
}

async function requireRoom(deps: Deps, { endsAt }: WindowFields, before: MaintenanceWindowRow | null): Promise<void> {
  const now = deps.now();
  if (endsAt <= now || (before !== null && before.endsAt > now)) return;
  const unfinished = await unfinishedWindows(deps.db, now, MAINTENANCE_WINDOWS_MAX);
  if (unfinished.length < MAINTENANCE_WINDOWS_MAX) return;
  throw new ProblemError(
    "conflict",
    `There are ${MAINTENANCE_WINDOWS_MAX} maintenance windows that have not ended, and no more are allowed. Delete one, or name more workflows, tags and services in one window.`,
  );
}
