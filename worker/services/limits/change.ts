import { limitGroupInputSchema } from "../../../schema/contract/limit-group.ts";
import type { LimitGroupView } from "../../../schema/contract/limit-group.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import {
  deleteLimitGroupRow,
  findLimitGroup,
  findLimitGroupsNamed,
  insertLimitGroup,
  updateLimitGroup,
} from "../../store/limit-groups.ts";
import type { LimitGroupRow } from "../../store/limit-groups.ts";
import { findPublishedUsers } from "../../store/workflow-versions.ts";
import { record, recordIfChanged } from "../audit-record.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parseInput } from "../parse.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { ProblemError } from "../problem.ts";
import { requireUnused } from "../require-unused.ts";
import { toLimitGroupView } from "./view.ts";

const UNUSED = [
  { path: "", message: "no published workflow names this limit yet: add it to `limits` of each one that it is for" },
];

/** Creates a limit that workflows can name. */
export async function createLimit(deps: Deps, actor: string, input: unknown): Promise<LimitGroupView> {
  const body = parseInput(limitGroupInputSchema, input);
  const now = deps.now();
  const id = deps.newId("limitGroup");
  await requireFreeName(deps, body.name, id);
  const row: LimitGroupRow = { id, ...body, revision: 1, createdAt: now, updatedAt: now };
  try {
    await writeBatch(deps.db, [
      insertLimitGroup(deps.db, row),
      record(deps, { actor, verb: "create", subjectType: "limit", subjectId: row.id, detail: body }),
    ]);
  } catch (error) {
    throw isConflict(error) ? nameTaken(body.name, error) : error;
  }
  return { ...toLimitGroupView(row), warnings: UNUSED };
}

/** Replaces all fields; the next action is judged by the new ones. */
export async function replaceLimit(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions,
): Promise<LimitGroupView> {
  const body = parseInput(limitGroupInputSchema, input);
  return changeLimit(deps, id, expected, async (row) => {
    await requireFreeName(deps, body.name, id);
    const changes = { ...body, updatedAt: deps.now() };
    const users = await findPublishedUsers(deps.db, "limit", id);
    return {
      write: updateLimitGroup(deps.db, row, changes),
      audit: { actor, verb: "update", detail: { ...body, former: { ...rulesOf(row) } } },
      result: {
        ...toLimitGroupView({ ...row, ...changes, revision: row.revision + 1 }),
        warnings: users.length === 0 ? UNUSED : [],
      },
    };
  });
}

/** Deletes a limit. Its uses go by age: there may be very many. Throws `conflict` while published workflows name it. */
export function deleteLimit(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions,
): Promise<{ id: string }> {
  return changeLimit(deps, id, expected, async (row) => {
    await requireUnused(deps, "limit", id);
    return {
      write: deleteLimitGroupRow(deps.db, row),
      audit: { actor, verb: "delete", detail: { name: row.name } },
      result: { id },
    };
  });
}

interface Change<T> {
  /** The conditional statement; the audit entry is written only if it changes a row. */
  write: Statement;
  audit: Pick<AuditEntry, "actor" | "verb" | "detail">;
  result: T;
}

function changeLimit<T>(
  deps: Deps,
  id: string,
  expected: ExpectedRevisions,
  decide: (row: LimitGroupRow) => Promise<Change<T>>,
): Promise<T> {
  return retryOnConflict("This limit", async () => {
    const row = await findLimitGroup(deps.db, id);
    if (row === null) throw notFound("limit", id);
    requireRevision(expected, row.revision);
    const { write, audit, result } = await decide(row);
    await writeBatch(deps.db, [write, recordIfChanged(deps, { ...audit, subjectType: "limit", subjectId: id })]);
    return result;
  });
}

function rulesOf({ name, maxRuns, periodSeconds, whenReached }: LimitGroupRow) {
  return { name, maxRuns, periodSeconds, whenReached };
}

/** Not the index alone: a repeated creation conflicts with itself, which is no other limit with the name. */
async function requireFreeName(deps: Deps, name: string, id: string): Promise<void> {
  const named = await findLimitGroupsNamed(deps.db, [], [name]);
  if (named.some((one) => one.id !== id)) throw nameTaken(name);
}

function nameTaken(name: string, cause?: unknown): ProblemError {
  return new ProblemError("conflict", `A limit with the name "${name}" already exists. Choose another name.`, {
    cause,
  });
}
