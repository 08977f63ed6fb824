import type { JsonObject } from "../../../schema/contract/json.ts";
import type { ExecutorContext } from "../executor.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { type ApiAnswer, createJsonApi, rateLimited } from "../shared/json-api.ts";
import { quoted } from "../shared/quoted.ts";
import { envelope } from "./card.ts";
import { type Webhook, webhookOf } from "./webhook-url.ts";

const PEER = "Teams";
const MAY_HAVE = "The message may have been posted. Check the channel before you send it again.";
/** Incoming webhooks answer 200 with such a sentence when Teams did not take the message. */
const NOT_DELIVERED = /webhook message delivery failed|Teams endpoint returned HTTP error/iu;
const INNER_STATUS = /HTTP error (\d{3})/iu;

/** Posts a card. Returns `{statusCode, body, truncated?}` with the address masked. */
export async function postCard(context: ExecutorContext, card: JsonObject): Promise<JsonObject> {
  const message = envelope(card);
  const webhook = webhookOf(context);
  const { signal, timeoutMs } = context;
  const api = createJsonApi({ peer: PEER, signal, timeoutMs, secrets: webhook.secrets });
  try {
    const answer = await api.call({ method: "POST", url: webhook.url, headers: {}, json: message, mayHave: MAY_HAVE });
    const failure = refusal(answer, webhook);
    if (failure !== null) throw failure;
    return webhook.masker.output(answer.output);
  } catch (error) {
    throw error instanceof ExecutorFailure ? masked(error, webhook) : error;
  }
}

/** The failure with the address masked, which a peer or a library may have repeated. */
export function masked({ code, message, output }: ExecutorFailure, { masker }: Webhook): ExecutorFailure {
  // Without its cause, which may contain the address, too.
  return new ExecutorFailure(code, masker.text(message), output === null ? null : masker.output(output));
}

function refusal({ status, headers, output }: ApiAnswer, { host, secrets, masker }: Webhook): ExecutorFailure | null {
  const body = typeof output["body"] === "string" ? output["body"] : JSON.stringify(output["body"] ?? "");
  const said = quoted(masker.text(body), secrets);
  const reason = said === "" ? "" : ` It said: ${said}`;
  if (status >= 200 && status < 300) {
    if (NOT_DELIVERED.test(body)) return notDelivered(INNER_STATUS.exec(body)?.[1], reason, output);
    if (!/html/u.test(headers["content-type"] ?? "")) return null;
    const message = `${host} answered with a web page, so this is not the address of a webhook. Copy it again from the channel's workflow in Teams.`;
    return new ExecutorFailure("invalid_response", message, output);
  }
  const { code, remedy } = meaning(status);
  return new ExecutorFailure(
    code,
    `Teams at ${host} did not accept the message (status ${status}). ${remedy}${reason}`,
    output,
  );
}

function notDelivered(inner: string | undefined, reason: string, output: JsonObject): ExecutorFailure {
  if (inner === "429") return rateLimited(PEER, null, output);
  const remedy =
    inner === "413" ? "The message is too large: shorten it." : "Send it again if the channel does not show it.";
  return new ExecutorFailure(
    "rejected",
    `The webhook accepted the message but Teams did not show it. ${remedy}${reason}`,
    output,
  );
}

function meaning(status: number): { code: string; remedy: string } {
  switch (status) {
    case 401:
    case 403:
      return {
        code: "authentication_failed",
        remedy:
          "The address is not accepted: copy it again from the channel's workflow in Teams, and let anyone trigger it.",
      };
    case 404:
    case 410:
      return {
        code: "not_found",
        remedy:
          "The workflow or webhook was deleted or turned off. Check it in Teams, or make a new one and deliver its address.",
      };
    case 413:
      return { code: "rejected", remedy: "The message is too large: shorten it." };
    default:
      if (status >= 500) return { code: "outcome_unknown", remedy: MAY_HAVE };
      return { code: "rejected", remedy: "Check the card with the Adaptive Cards designer." };
  }
}
