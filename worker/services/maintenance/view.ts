import type { MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { stateOf } from "../../domain/maintenance.ts";
import type { MaintenanceWindowRow } from "../../store/maintenance-windows.ts";

export function toWindowView(row: MaintenanceWindowRow, now: number): MaintenanceWindowView {
  const iso = (at: number) => new Date(at).toISOString();
  const { startsAt, endsAt, createdAt, updatedAt, ...rest } = row;
  return {
    ...rest,
    startsAt: iso(startsAt),
    endsAt: iso(endsAt),
    state: stateOf(row, now),
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}
