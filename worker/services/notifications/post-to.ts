import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { NotificationSettings } from "../notification-settings.ts";
import { exchange, reasonOf, refusedBy } from "./http-exchange.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { createMask } from "./mask.ts";
import { secretsIn } from "./secret-address.ts";

/** One POST to a receiver's own address, which may be a secret and does not appear in the answer's detail. */
export async function postTo(
  channels: NotificationSettings,
  request: { url: string; headers: Record<string, string>; body: string },
  messageId: string | null,
  signal: AbortSignal,
): Promise<ChannelAnswer> {
  let answer: HttpAnswer;
  try {
    answer = await exchange({ method: "POST", ...request }, signal);
  } catch (error) {
    return { type: "unknown", detail: reasonOf(error) };
  }
  const mask = createMask({ secrets: [...channels.secrets, ...secretsIn(request.url)] });
  if (answer.status < 200 || answer.status > 299) return refusedBy(answer, mask);
  return { type: "accepted", statusCode: answer.status, detail: mask(answer.text), messageId };
}
