import { z } from "zod";

/** In the bodies by which people start executions. */
export const ignoreMaintenanceSchema = z
  .boolean()
  .optional()
  .describe(
    "True: it begins also while a maintenance window applies to it. Otherwise that is refused with `maintenance`.",
  );

/** The bodies of an approval and of a retry. */
export const approveSchema = z.strictObject({
  nodeRunId: z.string().max(64),
  decision: z.enum(["approved", "rejected"]),
  comment: z.string().max(10_000).optional(),
});

export const retryExecutionSchema = z
  .strictObject({
    from: z
      .enum(["start", "failed"])
      .optional()
      .describe(
        "`failed`, the default, keeps successful results. `start` runs everything again, and is the default after a success and for another version.",
      ),
    version: z
      .enum(["same", "published"])
      .default("same")
      .describe("`same` is the version that ran; `published` is the version that is published now."),
    ignoreMaintenance: ignoreMaintenanceSchema,
  })
  .refine((input) => input.version === "same" || input.from !== "failed", {
    path: ["from"],
    error: "cannot be failed with another version: use start",
  });
