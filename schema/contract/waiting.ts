import { z } from "zod";

/** Why a job waits; `reason` says it in words. */
export const waitingCodeSchema = z.enum([
  "no_agent",
  "never_started",
  "offline",
  "disabled",
  "draining",
  "full",
  "no_credential",
  "no_secrets",
  "no_feature",
  "no_action",
  "not_polling",
  "other_agent",
  "next_poll",
  "moving",
  "database_unavailable",
]);
export type WaitingCode = z.infer<typeof waitingCodeSchema>;
