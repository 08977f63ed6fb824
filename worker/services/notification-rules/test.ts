import type { RuleEvent, RuleTest } from "../../../schema/contract/notification-rule.ts";
import { RECEIVER_TESTS_PER_MINUTE } from "../../../schema/limits.ts";
import { messageOf } from "../../domain/alerts/message.ts";
import { findNotificationReceivers } from "../../store/notification-receivers.ts";
import { recordFirst } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { tryReceiver } from "../notification-receivers/index.ts";
import { ProblemError } from "../problem.ts";
import { RateLimit } from "../rate-limit.ts";
import { requireRule } from "./read.ts";

const COUNTED_MAX = 1_000;
/** One for each isolate. */
const tests = new RateLimit({ limit: RECEIVER_TESTS_PER_MINUTE, windowMs: 60_000 }, COUNTED_MAX);

/** Sends an example to each receiver of a rule. `origin` is this deployment's address. */
export async function testRule(deps: Deps, actor: string, id: string, origin: string): Promise<RuleTest> {
  const { rule } = await requireRule(deps, id);
  const retryAfterSeconds = tests.enter(id, deps.now());
  if (retryAfterSeconds !== null) {
    const detail = `Too many tests of this rule. Try again in ${retryAfterSeconds} s.`;
    throw new ProblemError("rate_limit_exceeded", detail, { headers: { "Retry-After": String(retryAfterSeconds) } });
  }
  const audit = { actor, verb: "test", subjectType: "notification-rule", subjectId: id } as const;
  await recordFirst(deps, { ...audit, detail: { name: rule.name } });
  const at = deps.now();
  const details = [`This is a test of the rule "${rule.name}". Nothing has happened.`];
  const line = { at, subject: `Test: ${EXAMPLES[rule.on]}`, details, path: "/settings/notifications" };
  const message = messageOf(rule.name, { count: 1, lines: [line] }, origin);
  const notice = { id: `test_${crypto.randomUUID()}`, at, ...message };
  const rows = await findNotificationReceivers(deps.db, rule.receivers);
  const results = rule.receivers.map(async (receiverId) => {
    const row = rows.find((one) => one.id === receiverId);
    if (row === undefined) return { receiverId, ok: false, detail: "The receiver was deleted." };
    const { ok, error } = await tryReceiver(deps, row, notice);
    return { receiverId, ok, detail: error?.message ?? null };
  });
  return { results: await Promise.all(results) };
}

const EXAMPLES = {
  run_failed: 'Workflow "Example" failed',
  schedule_disabled: 'The schedule of "Example" was switched off',
  approval_waiting: 'Workflow "Example" waits for an approval',
  limit_reached: 'Workflow "Example" reached a limit',
  agent_offline: 'The agent "example" is offline',
  pool_offline: 'All agents of the pool "example" are offline',
  queue_old: 'A job waits too long in the pool "example"',
  credential_failed: 'The credential of "Example" was refused by the agent "example"',
  database_trouble: "The service cannot read its database",
} as const satisfies Record<RuleEvent, string>;
