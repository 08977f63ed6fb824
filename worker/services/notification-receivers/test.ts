import type { ReceiverTest } from "../../../schema/contract/notification-receiver.ts";
import { RECEIVER_TESTS_PER_MINUTE } from "../../../schema/limits.ts";
import { recordFirst } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";
import { RateLimit } from "../rate-limit.ts";
import { requireReceiver, shownOf } from "./read.ts";
import { tryReceiver } from "./try-receiver.ts";

const COUNTED_MAX = 1_000;
/** One for each isolate. */
const tests = new RateLimit({ limit: RECEIVER_TESTS_PER_MINUTE, windowMs: 60_000 }, COUNTED_MAX);

/** Sends a message that says that it is a test. `origin` is this deployment's address. */
export async function testReceiver(deps: Deps, actor: string, id: string, origin: string): Promise<ReceiverTest> {
  const row = await requireReceiver(deps, id);
  const retryAfterSeconds = tests.enter(id, deps.now());
  if (retryAfterSeconds !== null) {
    throw new ProblemError(
      "rate_limit_exceeded",
      `Too many tests of this receiver. Try again in ${retryAfterSeconds} s.`,
      {
        headers: { "Retry-After": String(retryAfterSeconds) },
      },
    );
  }
  await recordFirst(deps, {
    actor,
    verb: "test",
    subjectType: "notification-receiver",
    subjectId: id,
    detail: shownOf(row),
  });
  return tryReceiver(deps, row, {
    id: `test_${crypto.randomUUID()}`,
    at: deps.now(),
    subject: "Test message from Bellhop",
    text: `This is a test of the receiver "${row.name}". Notices sent to it arrive here.`,
    url: `${origin}/settings/notifications`,
  });
}
