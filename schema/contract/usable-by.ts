import { z } from "zod";
import { roleSchema } from "./people.ts";

const ENTRIES_MAX = 100;
const ids = z.array(z.string().min(1).max(64)).max(ENTRIES_MAX).default([]);

/** Who may use a connection: people by id, everyone of a role, and workflows by id, whoever publishes them. */
export const usableBySchema = z.strictObject({
  people: ids,
  roles: z.array(roleSchema).max(roleSchema.options.length).default([]),
  workflows: ids,
});
export type UsableBy = z.infer<typeof usableBySchema>;
