import { z } from "zod";

/** Why a job waits; `reason` is the message. */
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
  "paused",
]);
export type WaitingCode = z.infer<typeof waitingCodeSchema>;

/** What a node run or a job waits for. */
export const waitingSchema = z.object({
  code: z.enum([
    ...waitingCodeSchema.options,
    "agent_silent",
    "not_received",
    "approval",
    "delay",
    "next_batch",
    "retry",
    "sub_workflow",
    "turn",
    "next_try",
    "earlier_run",
    "collecting",
    "maintenance",
  ]),
  until: z.iso.datetime().optional().describe("The latest end of the wait, if known."),
  executionId: z
    .string()
    .optional()
    .describe("The execution that must end first: a sub-workflow's, or an earlier run with the same key."),
  agents: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .optional()
    .describe("The agent that it waits for, if it waits for a specific one."),
  detail: z.string().describe("The same as a message, as in `waitingFor`."),
});
export type Waiting = z.infer<typeof waitingSchema>;
