import { z } from "zod";
import { roleSchema } from "./people.ts";

const PEOPLE_MAX = 100;
/** Viewers lack the permission automation:approve. */
export const approverRoleSchema = roleSchema.exclude(["viewer"]);

/** Who may answer an approval: everyone of these roles, and these people by their ids. */
export const approversSchema = z
  .strictObject({
    roles: z.array(approverRoleSchema).min(1).max(approverRoleSchema.options.length).optional(),
    people: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(PEOPLE_MAX)
      .optional()
      .describe("Ids of users of this deployment."),
  })
  .refine(({ roles, people }) => roles !== undefined || people !== undefined, {
    error: "names no approver: give roles, people or both",
  });
export type Approvers = z.infer<typeof approversSchema>;
export type ApproverRole = z.infer<typeof approverRoleSchema>;

/** What an execution would run now: the versions of the workflows that follow, and the connections as they are. */
export interface RunSnapshot {
  /** Version ids by workflow id. */
  versions: Readonly<Record<string, string>>;
  /** By connection id: a digest of its configuration, with its agent or pool. */
  targets: Readonly<Record<string, string>>;
}

/** What an approval was given to. What has changed since is not run. */
export interface Approved extends RunSnapshot {
  /** When (epoch ms). */
  at: number;
  /** Who might answer it, as its node says. */
  by?: "another" | undefined;
  approvers?: Approvers | undefined;
}
