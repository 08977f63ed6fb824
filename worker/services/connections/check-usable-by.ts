import { isDeepStrictEqual } from "node:util";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { usableBySchema } from "../../../schema/contract/usable-by.ts";
import type { UsableBy } from "../../../schema/contract/usable-by.ts";
import { findUsers } from "../../store/users.ts";
import { findWorkflowNames } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { missingPermission } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";

/**
 * Errors of a `usableBy` in a request: people and workflows that do not exist. Entries that the connection already has
 * are accepted, because their targets may have been deleted since. The body's schema reports a wrong shape.
 */
export async function usableByErrors(
  deps: Deps,
  type: ConnectionType | undefined,
  sent: unknown,
  before: UsableBy | null,
): Promise<FieldError[]> {
  const { data } = usableBySchema.safeParse(sent);
  if (data === undefined) return [];
  if (type === "notification") {
    const message = "a notification needs no connection, so usableBy would restrict no one: leave it out";
    return [{ path: "usableBy", message }];
  }
  const [people, workflows] = [unknownTo(data.people, before?.people), unknownTo(data.workflows, before?.workflows)];
  const [users, names] = await Promise.all([
    people.length === 0 ? [] : findUsers(deps.db, people),
    workflows.length === 0 ? [] : findWorkflowNames(deps.db, workflows),
  ]);
  return [
    ...missing("people", data.people, unknownTo(people, idsOf(users)), "there is no user of this id"),
    ...missing(
      "workflows",
      data.workflows,
      unknownTo(workflows, idsOf(names)),
      "there is no workflow of this id: GET /workflows lists them",
    ),
  ];
}

/** The new `usableBy`, each entry once. Undefined when nothing changes. */
export function changedUsableBy(
  sent: UsableBy | null | undefined,
  before: UsableBy | null,
): UsableBy | null | undefined {
  if (sent === undefined) return undefined;
  const next =
    sent === null
      ? null
      : { people: inOrder(sent.people), roles: inOrder(sent.roles), workflows: inOrder(sent.workflows) };
  return isDeepStrictEqual(next, before) ? undefined : next;
}

/** Throws `forbidden`. */
export function requireMaySetUsableBy(by: Principal): void {
  if (by.permissions.has("credentials:write")) return;
  throw new ProblemError("forbidden", missingPermission(by, "credentials:write", "usableBy"), {
    errors: [
      { path: "usableBy", message: "needs the permission credentials:write: leave it out, or send it unchanged" },
    ],
  });
}

function unknownTo(ids: readonly string[], known: readonly string[] = []): string[] {
  return ids.filter((id) => !known.includes(id));
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

function missing(
  list: "people" | "workflows",
  sent: readonly string[],
  ids: readonly string[],
  message: string,
): FieldError[] {
  return sent.flatMap((id, at) => (ids.includes(id) ? [{ path: `usableBy.${list}.${at}`, message }] : []));
}

function inOrder<T extends string>(entries: readonly T[]): T[] {
  return [...new Set(entries)].toSorted();
}
