import { z } from "zod";
import { LIMIT_PERIOD_MAX_SECONDS, LIMIT_PERIOD_MIN_SECONDS, LIMIT_RUNS_MAX } from "../limits.ts";
import { nameSchema } from "./name.ts";
import { fieldErrorSchema } from "./problem.ts";
import type { Failure } from "./problem.ts";

/** A limit that several workflows share (docs/design/workflows.md#limits-per-target). */
export const whenReachedSchema = z
  .enum(["end", "approve"])
  .describe(
    "`end`: the action of a further run fails with `limit_reached`. `approve`: it waits for a person's approval, and then runs beyond the limit.",
  );
export type WhenReached = z.infer<typeof whenReachedSchema>;

const maxRuns = z
  .int()
  .min(1)
  .max(LIMIT_RUNS_MAX)
  .describe("How many runs may order an unsafe action in a period, for each key.");
const periodSeconds = z
  .int()
  .min(LIMIT_PERIOD_MIN_SECONDS)
  .max(LIMIT_PERIOD_MAX_SECONDS)
  .describe("The period slides: each use counts for this time.");

export const limitGroupInputSchema = z.strictObject({
  name: nameSchema,
  maxRuns,
  periodSeconds,
  whenReached: whenReachedSchema,
});
export type LimitGroupInput = z.infer<typeof limitGroupInputSchema>;

export const limitGroupSchema = z.object({
  id: z.string(),
  name: z.string(),
  maxRuns,
  periodSeconds,
  whenReached: whenReachedSchema,
  warnings: z
    .array(fieldErrorSchema)
    .optional()
    .describe("In answers to a save: that no published workflow names this limit."),
  /** Rises with every edit; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type LimitGroupView = z.infer<typeof limitGroupSchema>;

export const limitUseSchema = z.object({
  executionId: z.string(),
  workflowId: z.string().nullable().describe("Null when the execution was deleted."),
  at: z.iso.datetime(),
  isOverLimit: z.boolean().describe("Whether a person approved it beyond the limit."),
});
export const limitKeySchema = z.object({
  key: z.string().describe("Empty for a limit without a key."),
  used: z.int(),
  freeAt: z.iso.datetime().nullable().describe("When the next run is possible; null when it is possible now."),
  runs: z.array(limitUseSchema).describe("Newest first."),
});
export type LimitKeyView = z.infer<typeof limitKeySchema>;
export const limitUsesSchema = z.object({
  keys: z.array(limitKeySchema).describe("The keys with uses that count now, the latest use first."),
  more: z.boolean().describe("True when there are more uses than one answer has."),
});
export type LimitUses = z.infer<typeof limitUsesSchema>;

/** A use of a limit group that an execution needs before its first unsafe action. */
export interface LimitUse {
  readonly groupId: string;
  readonly key: string;
  /** The execution that counts: this one, or an ancestor that has the same group and key. */
  readonly executionId: string;
}

/** The limits of one execution, as the database has them. */
export interface RunLimits {
  readonly uses: readonly LimitUse[];
  /** True once its uses count: no further action of it is limited. */
  readonly reserved: boolean;
  /** Set once a person has rejected them: no limited action of it is ordered, and no person is asked again. */
  readonly rejected?: Failure;
}

/** A limit of a workflow: its group, and the key for which the run counts. */
export const workflowLimitSchema = z.strictObject({
  groupId: z.string().min(1).max(64),
  key: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe("A text with templates of the trigger, such as `{{incident.service}}`: each value has its own count."),
});
export type WorkflowLimit = z.infer<typeof workflowLimitSchema>;
