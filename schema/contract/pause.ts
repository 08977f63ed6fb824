import { z } from "zod";
import { PAUSE_REASON_MAX_CHARS } from "../limits.ts";
import { isPlainText } from "./name.ts";

/** A pause of all runs (docs/operations.md#pause-all-runs). */
export const pauseSchema = z.object({
  by: z.string().describe("Who paused the runs or last changed the reason, as in the audit log."),
  at: z.iso.datetime().describe("Since when."),
  reason: z.string(),
});
export type PauseView = z.infer<typeof pauseSchema>;

export const pauseStateSchema = z.object({ paused: pauseSchema.nullable().describe("Null while runs go on.") });
export type PauseState = z.infer<typeof pauseStateSchema>;

export const setPauseSchema = z.strictObject({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(PAUSE_REASON_MAX_CHARS)
    .refine(isPlainText, "must not contain line breaks, control characters or text direction marks"),
});
