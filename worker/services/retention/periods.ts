import type { RetentionPeriods } from "../../../schema/contract/retention.ts";
import {
  RETENTION_AUDIT_DAYS,
  RETENTION_DELIVERY_DAYS,
  RETENTION_EXECUTION_DAYS,
  RETENTION_FAILED_DAYS,
  RETENTION_INCIDENT_DAYS,
  RETENTION_LATE_RESULT_DAYS,
  RETENTION_MISSED_RUN_DAYS,
} from "../../../schema/limits.ts";
import { findPeriods } from "../../store/retention.ts";
import type { StoredPeriods } from "../../store/retention.ts";
import type { DueAt } from "../../store/retention-due.ts";
import type { Deps } from "../deps.ts";
import { firstIdAt } from "../ids.ts";

const DAY_MS = 24 * 60 * 60_000;

const DEFAULTS: StoredPeriods = {
  periods: {
    executionDays: RETENTION_EXECUTION_DAYS,
    failedDays: RETENTION_FAILED_DAYS,
    incidentDays: RETENTION_INCIDENT_DAYS,
    auditDays: RETENTION_AUDIT_DAYS,
    missedRunDays: RETENTION_MISSED_RUN_DAYS,
    deliveryDays: RETENTION_DELIVERY_DAYS,
    lateResultDays: RETENTION_LATE_RESULT_DAYS,
  },
  former: null,
  revision: 0,
};

export async function readPeriods(deps: Deps): Promise<StoredPeriods> {
  return (await findPeriods(deps.db)) ?? DEFAULTS;
}

/** What is due at a time with these periods. */
export function dueAt(periods: RetentionPeriods, at: number): DueAt {
  return {
    periods,
    at,
    firstIncident: firstIdAt("incident", at - periods.incidentDays * DAY_MS),
    firstAudit: firstIdAt("audit", at - periods.auditDays * DAY_MS),
  };
}
