import { z } from "zod";
import { roleSchema } from "./people.ts";

const ENTRIES_MAX = 100;
const ids = z.array(z.string().min(1).max(64)).max(ENTRIES_MAX).default([]);

/**
 * Who may use a connection: people by id, every person with a role, and workflows by id, no matter who publishes them.
 */
export const usableBySchema = z
  .strictObject({
    people: ids.describe("Ids of users. A workflow that one of them published may use the connection."),
    roles: z
      .array(roleSchema)
      .max(roleSchema.options.length)
      .default([])
      .describe("The same for everyone with one of these roles at the time of the run."),
    workflows: ids.describe(
      "Ids of workflows that may use the connection. Only people who may use the connection, or have credentials:write, can publish them.",
    ),
  })
  .describe("Who may use the connection. If all lists are empty, no one may.");
export type UsableBy = z.infer<typeof usableBySchema>;

/**
 * The workflows that a connection's credential is sealed for, so that agents refuse others; null when it is sealed for
 * all. An agent cannot know who published a version: with people or roles in the lists it must allow all.
 */
export function sealedWorkflows(usableBy: UsableBy | null): string[] | null {
  if (usableBy === null || usableBy.people.length + usableBy.roles.length > 0) return null;
  return usableBy.workflows;
}
