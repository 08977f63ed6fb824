import type { NotificationRuleInput, NotificationRuleView } from "../../../schema/contract/notification-rule.ts";
import { NOTIFICATION_RULES_MAX } from "../../../schema/limits.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import {
  countNotificationRules,
  deleteNotificationRuleRow,
  findNotificationRule,
  findNotificationRuleNamed,
  insertNotificationRule,
  updateNotificationRule,
} from "../../store/notification-rules.ts";
import type { NotificationRuleRow } from "../../store/notification-rules.ts";
import { record, recordIfChanged } from "../audit-record.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { ProblemError } from "../problem.ts";
import { checkRule, warningsAbout } from "./check.ts";
import { readSummary } from "./read.ts";
import { toRuleView } from "./view.ts";

/** Reports events from now on. */
export async function createRule(deps: Deps, actor: string, input: unknown): Promise<NotificationRuleView> {
  const rule = await checkRule(deps, input, null);
  const id = deps.newId("notificationRule");
  await requireFreeName(deps, rule.name, id);
  await requireRoom(deps);
  const now = deps.now();
  const row: NotificationRuleRow = { id, rule, since: now, revision: 1, createdAt: now, updatedAt: now };
  const audit = { actor, verb: "create", subjectType: "notification-rule", subjectId: id } as const;
  try {
    await writeBatch(deps.db, [
      insertNotificationRule(deps.db, row, NOTIFICATION_RULES_MAX),
      record(deps, { ...audit, detail: { ...rule } }),
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    await requireRoom(deps);
    await checkRule(deps, input, null);
    throw nameTaken(rule.name, error);
  }
  return { ...toRuleView(row, null), warnings: await warningsAbout(deps, rule) };
}

/** Replaces all fields. */
export function replaceRule(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions,
): Promise<NotificationRuleView> {
  return changeRule(deps, id, expected, async (row) => {
    const rule = await checkRule(deps, input, row.rule);
    await requireFreeName(deps, rule.name, id);
    const now = deps.now();
    const changed = { ...row, rule, since: sinceOf(row, rule, now), revision: row.revision + 1, updatedAt: now };
    return {
      write: updateNotificationRule(deps.db, changed),
      audit: { actor, verb: "update", detail: { ...rule, former: { ...row.rule } } },
      result: { ...toRuleView(changed, await readSummary(deps)), warnings: await warningsAbout(deps, rule) },
    };
  });
}

/** Its collected events are no longer sent. */
export function deleteRule(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions,
): Promise<{ id: string }> {
  return changeRule(deps, id, expected, async (row) => ({
    write: deleteNotificationRuleRow(deps.db, row),
    audit: { actor, verb: "delete", detail: { name: row.rule.name } },
    result: { id },
  }));
}

interface Change<T> {
  /** The conditional statement; the audit entry is written only if it changes a row. */
  write: Statement;
  audit: Pick<AuditEntry, "actor" | "verb" | "detail">;
  result: T;
}

function changeRule<T>(
  deps: Deps,
  id: string,
  expected: ExpectedRevisions,
  decide: (row: NotificationRuleRow) => Promise<Change<T>>,
): Promise<T> {
  return retryOnConflict("This notification rule", async () => {
    const row = await findNotificationRule(deps.db, id);
    if (row === null) throw notFound("notification rule", id);
    requireRevision(expected, row.revision);
    const { write, audit, result } = await decide(row);
    await writeBatch(deps.db, [
      write,
      recordIfChanged(deps, { ...audit, subjectType: "notification-rule", subjectId: id }),
    ]);
    return result;
  });
}

/** A rule that was off, or was about other events, starts again. */
function sinceOf({ rule: before, since }: NotificationRuleRow, rule: NotificationRuleInput, now: number): number {
  return before.enabled && before.on === rule.on ? since : now;
}

async function requireRoom(deps: Deps): Promise<void> {
  if ((await countNotificationRules(deps.db)) < NOTIFICATION_RULES_MAX) return;
  const detail = `There are ${NOTIFICATION_RULES_MAX} notification rules, and no more are allowed. Delete one first.`;
  throw new ProblemError("conflict", detail);
}

/** Not the index alone: a repeated creation conflicts with itself, which is no other rule with the name. */
async function requireFreeName(deps: Deps, name: string, id: string): Promise<void> {
  const named = await findNotificationRuleNamed(deps.db, name);
  if (named !== null && named.id !== id) throw nameTaken(name);
}

function nameTaken(name: string, cause?: unknown): ProblemError {
  const detail = `A notification rule with the name "${name}" already exists. Choose another name.`;
  return new ProblemError("conflict", detail, { cause });
}
