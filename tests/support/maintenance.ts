import { maintenanceWindowSchema, suppressedExecutionSchema } from "../../schema/contract/maintenance.ts";
import type { MaintenanceWindowView, SuppressedExecution } from "../../schema/contract/maintenance.ts";
import type { Bellhop } from "./bellhop.ts";
import { call, dataOf, pageOf } from "./management-api.ts";

export const WINDOWS = "/maintenance-windows";
const HOUR_MS = 60 * 60_000;

export function windowFields(more: object): object {
  const [startsAt, endsAt] = [-HOUR_MS, HOUR_MS].map((ms) => new Date(Date.now() + ms).toISOString());
  return { name: "Storage", startsAt, endsAt, mode: "hold", ...more };
}

export async function createWindow(bellhop: Bellhop, more: object): Promise<MaintenanceWindowView> {
  return dataOf(await call(bellhop, "POST", WINDOWS, windowFields(more)), 201, maintenanceWindowSchema);
}

export async function suppressedBy(bellhop: Bellhop, { id }: { id: string }): Promise<SuppressedExecution[]> {
  return (await pageOf(await call(bellhop, "GET", `${WINDOWS}/${id}/suppressed`), suppressedExecutionSchema)).items;
}

/** A window that is in effect: a service that has just started remembers no older list of windows. */
export async function openWindow(bellhop: Bellhop, more: object): Promise<MaintenanceWindowView> {
  const window = await createWindow(bellhop, more);
  await bellhop.restartWorker();
  return window;
}
