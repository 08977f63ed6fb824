import { z } from "zod";
import { roleSchema } from "./people.ts";

export const APPROVER_PEOPLE_MAX = 100;
/** Viewers lack the permission automation:approve. */
export const approverRoleSchema = roleSchema.exclude(["viewer"]);

/** Who may answer an approval: every person with one of these roles, and these people by their ids. */
export const approversSchema = z
  .strictObject({
    roles: z.array(approverRoleSchema).min(1).max(approverRoleSchema.options.length).optional(),
    people: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(APPROVER_PEOPLE_MAX)
      .optional()
      .describe("Ids of users of this deployment."),
  })
  .refine(({ roles, people }) => roles !== undefined || people !== undefined, {
    error: "must name roles, people or both",
  });
export type Approvers = z.infer<typeof approversSchema>;
export type ApproverRole = z.infer<typeof approverRoleSchema>;

/** What an execution would run now: the present versions of the workflows that follow, and the present connections. */
export interface RunSnapshot {
  /** Version ids by workflow id. */
  versions: Readonly<Record<string, string>>;
  /** By connection id: a digest of its configuration, and its agent or pool. */
  targets: Readonly<Record<string, string>>;
}

/** The state for which an approval was given. A part that has changed since does not run. */
export interface Approved extends RunSnapshot {
  /** The time of the approval (epoch ms). */
  at: number;
  /** Who may answer it, from its node. */
  by?: "another" | undefined;
  approvers?: Approvers | undefined;
}
