import type { RecordExport } from "../../schema/contract/retention.ts";
import { RETENTION_EXPORT_RETRY_MAX_MS, RETENTION_EXPORT_RETRY_MIN_MS } from "../../schema/limits.ts";

/** The failures of an export since its last success. Times are epoch ms. */
export interface ExportFailures {
  failures: number;
  failingSince: number | null;
  failedAt: number | null;
  error: string | null;
}

/** When a failing export is tried again; 0 when it does not fail. */
export function exportRetryAt({ failures, failedAt }: ExportFailures): number {
  if (failedAt === null) return 0;
  return failedAt + Math.min(RETENTION_EXPORT_RETRY_MAX_MS, RETENTION_EXPORT_RETRY_MIN_MS * 2 ** (failures - 1));
}

/** The failure as the API shows it. */
export function shownFailure(row: ExportFailures): RecordExport["failure"] {
  const { failingSince, error } = row;
  if (failingSince === null || error === null) return null;
  return { since: toIso(failingSince), error, retryAt: toIso(exportRetryAt(row)) };
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
