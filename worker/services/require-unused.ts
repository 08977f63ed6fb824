import { deleteQuerySchema } from "../../schema/contract/management.ts";
import { findPublishedUsers } from "../store/workflow-versions.ts";
import type { Deps } from "./deps.ts";
import { parseInput } from "./parse.ts";
import { ProblemError } from "./problem.ts";

const SHOWN_USERS = 5;

/** Whether the query of a deletion has `force`, which also deletes objects that are in use. */
export function isForced(query: unknown): boolean {
  return parseInput(deleteQuerySchema, query).force === "true";
}

/** Throws `conflict` with the published workflows that use it: their runs would fail. */
export async function requireUnused(deps: Deps, kind: "connection" | "workflow" | "limit", id: string): Promise<void> {
  const users = await findPublishedUsers(deps.db, kind, id);
  if (users.length === 0) return;
  const shown = users.slice(0, SHOWN_USERS).map((user) => `${user.name} (${user.id})`);
  const more = users.length > SHOWN_USERS ? [`and ${users.length - SHOWN_USERS} more`] : [];
  const [count, others] =
    users.length === 1 ? ["A published workflow uses", "it"] : [`${users.length} published workflows use`, "them"];
  throw new ProblemError(
    "conflict",
    `${count} this ${kind}: ${[...shown, ...more].join(", ")}. Change or unpublish ${others} first${kind === "limit" ? "" : ", or delete it anyway with ?force=true"}.`,
  );
}
