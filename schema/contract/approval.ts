import { z } from "zod";
import { roleSchema } from "./people.ts";

const PEOPLE_MAX = 100;

/** Who may answer an approval: everyone of these roles, and these people by their ids. */
export const approversSchema = z
  .strictObject({
    roles: z.array(roleSchema).min(1).max(roleSchema.options.length).optional(),
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

/**
 * What somebody approved: of the workflows that follow, their versions, and of the connections, digests of their targets.
 * What has changed since is not run.
 */
export interface Approved {
  /** Version ids by workflow id. */
  versions: Readonly<Record<string, string>>;
  /** Digests by connection id; null where the connection has no target. */
  targets: Readonly<Record<string, string | null>>;
}
