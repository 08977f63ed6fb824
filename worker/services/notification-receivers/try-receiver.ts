import type { ReceiverTest } from "../../../schema/contract/notification-receiver.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { judgeAnswer } from "../../domain/notification/answer.ts";
import type { Verdict } from "../../domain/notification/answer.ts";
import type { Deps } from "../deps.ts";
import { prepareReceiverDelivery, sendOnce } from "../notifications/index.ts";

/** A person waits for the answer. */
const LIMIT_MS = 20_000;
const SHOWN_REFUSED = 5;

/** One attempt at once, whose result a person sees. Stores nothing, and never throws for errors of the other side. */
export async function tryReceiver(
  deps: Deps,
  receiver: Parameters<typeof prepareReceiverDelivery>[1],
  message: Parameters<typeof prepareReceiverDelivery>[2],
): Promise<ReceiverTest> {
  const prepared = await prepareReceiverDelivery(deps, receiver, message);
  if (!prepared.ok) return { ok: false, result: null, statusCode: null, detail: "", error: prepared.failure };
  const until = deps.now() + LIMIT_MS;
  let handedOver = false;
  const noteHandover = () => {
    handedOver = true;
    return Promise.resolve(Math.max(1, until - deps.now()));
  };
  const answer = await sendOnce(prepared.delivery, new Set(), { limitMs: LIMIT_MS, noteHandover });
  const verdict = judgeAnswer(receiver.type, answer, handedOver);
  const error = problemOf(verdict);
  return { ok: error === null, ...verdict.attempt, error };
}

function problemOf({ attempt, error, rejected, deferred }: Verdict): Failure | null {
  if (attempt.result !== "accepted") return error;
  const refused = [...rejected, ...deferred];
  if (refused.length === 0) return null;
  const shown = refused.slice(0, SHOWN_REFUSED).map(({ address, detail }) => `${address} (${detail})`);
  const more = refused.length > SHOWN_REFUSED ? [`and ${refused.length - SHOWN_REFUSED} more`] : [];
  return {
    code: "rejected",
    message: `The mail server refused ${[...shown, ...more].join(", ")}. It took the others.`,
  };
}
