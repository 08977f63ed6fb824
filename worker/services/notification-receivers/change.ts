import {
  createNotificationReceiverSchema,
  setNotificationReceiverSchema,
} from "../../../schema/contract/notification-receiver.ts";
import type { NotificationReceiverView } from "../../../schema/contract/notification-receiver.ts";
import { NOTIFICATION_RECEIVERS_MAX } from "../../../schema/limits.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import {
  countNotificationReceivers,
  deleteNotificationReceiverRow,
  findNotificationReceiverNamed,
  insertNotificationReceiver,
  updateNotificationReceiver,
} from "../../store/notification-receivers.ts";
import { rulesOfReceiver } from "../../store/notification-rules.ts";
import { record, recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { ProblemError } from "../problem.ts";
import { addressColumns } from "./address.ts";
import { requireReceiver, shownOf, toReceiverView } from "./read.ts";

const KIND = "This receiver of notifications";

export async function createReceiver(deps: Deps, actor: string, input: unknown): Promise<NotificationReceiverView> {
  const { name, type, to } = parseInput(createNotificationReceiverSchema, input);
  const id = deps.newId("notificationReceiver");
  const address = await addressColumns(deps, { id, type }, to);
  await requireFreeName(deps, name, id);
  await requireRoom(deps);
  const now = deps.now();
  const row = { id, name, type, ...address, revision: 1, createdAt: now, updatedAt: now };
  try {
    await writeBatch(deps.db, [
      insertNotificationReceiver(deps.db, row, NOTIFICATION_RECEIVERS_MAX),
      record(deps, {
        actor,
        verb: "create",
        subjectType: "notification-receiver",
        subjectId: id,
        detail: shownOf(row),
      }),
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    await requireRoom(deps);
    throw nameTaken(name, error);
  }
  return toReceiverView(row);
}

export async function replaceReceiver(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions,
): Promise<NotificationReceiverView> {
  const { name, type, to } = parseInput(setNotificationReceiverSchema, input);
  return retryOnConflict(KIND, async () => {
    const before = await requireReceiver(deps, id);
    requireRevision(expected, before.revision);
    if (to === undefined && type !== before.type) throw invalidInput([{ path: "to", message: NEW_TYPE }]);
    const address = to === undefined ? {} : await addressColumns(deps, { id, type }, to);
    await requireFreeName(deps, name, id);
    const row = { ...before, name, type, ...address, revision: before.revision + 1, updatedAt: deps.now() };
    const detail = { ...shownOf(row), former: shownOf(before), addressEntered: to !== undefined };
    await writeBatch(deps.db, [
      updateNotificationReceiver(deps.db, row),
      recordIfChanged(deps, { actor, verb: "update", subjectType: "notification-receiver", subjectId: id, detail }),
    ]);
    return toReceiverView(row);
  });
}

export async function deleteReceiver(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions,
): Promise<{ id: string }> {
  return retryOnConflict(KIND, async () => {
    const row = await requireReceiver(deps, id);
    requireRevision(expected, row.revision);
    await requireNoRule(deps, id);
    const audit = { actor, verb: "delete", subjectType: "notification-receiver", subjectId: id } as const;
    await writeBatch(deps.db, [
      deleteNotificationReceiverRow(deps.db, row),
      recordIfChanged(deps, { ...audit, detail: shownOf(row) }),
    ]);
    return { id };
  });
}

/** Throws `conflict` with the rules that send to it. */
async function requireNoRule(deps: Deps, id: string): Promise<void> {
  const rules = await rulesOfReceiver(deps.db, id, SHOWN_RULES);
  if (rules.length === 0) return;
  const names = rules.map((name) => `"${name}"`).join(", ");
  throw new ProblemError(
    "conflict",
    `Notification rules send to this receiver: ${names}. Change or delete them first.`,
  );
}

const SHOWN_RULES = 5;
const NEW_TYPE = "is required with another type: enter the address for it";

/** Not the index alone: a repeated creation conflicts with itself, which is no other receiver with the name. */
async function requireFreeName(deps: Deps, name: string, id: string): Promise<void> {
  const named = await findNotificationReceiverNamed(deps.db, name);
  if (named !== null && named.id !== id) throw nameTaken(name);
}

function nameTaken(name: string, cause?: unknown): ProblemError {
  const message = `A receiver of notifications with the name "${name}" already exists. Choose another name.`;
  return new ProblemError("conflict", message, { cause });
}

async function requireRoom(deps: Deps): Promise<void> {
  if ((await countNotificationReceivers(deps.db)) < NOTIFICATION_RECEIVERS_MAX) return;
  throw new ProblemError(
    "conflict",
    `There are ${NOTIFICATION_RECEIVERS_MAX} receivers of notifications, and no more are allowed. Delete one first.`,
  );
}
