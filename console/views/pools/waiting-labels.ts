import type { WaitingCode } from "../../../schema/contract/waiting.ts";

/** A short reason for a job's wait, for the badge next to the pool's full sentence. */
export const WAITING_LABELS = {
  no_agent: "No agent",
  never_started: "Never started",
  offline: "Offline",
  disabled: "Disabled",
  draining: "Shutting down",
  full: "All busy",
  no_credential: "No credential",
  no_secrets: "No secrets",
  no_feature: "Old agent",
  no_action: "Old agent",
  not_polling: "Not polling",
  other_agent: "Other agent",
  next_poll: "Next poll",
  moving: "Moving",
  database_unavailable: "Database unavailable",
} as const satisfies Record<WaitingCode, string>;

/** Reasons that pass without action by a person. */
const PASSING: ReadonlySet<WaitingCode> = new Set(["full", "next_poll", "moving"]);

export function waitingColor(code: WaitingCode): string {
  return PASSING.has(code) ? "blue" : "red";
}
