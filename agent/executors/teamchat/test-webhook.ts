import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { createJsonApi } from "../shared/json-api.ts";
import { masked } from "./post-card.ts";
import { webhookOf } from "./webhook-url.ts";

const REACHED = "Endpoint reachable";
const UNTESTED = "Whether it posts was not tested, because that would write into the channel.";

/**
 * Sends OPTIONS, which no webhook takes for a message. Nearly every status below 500 shows that the endpoint can be
 * reached; 404 and 410 show that nothing is there. Only a message would show whether the address is right.
 */
export async function testWebhook(context: ExecutorContext): Promise<ConnectionCheck[]> {
  try {
    const webhook = webhookOf(context);
    const { signal, timeoutMs } = context;
    const api = createJsonApi({ peer: "Teams", signal, timeoutMs, secrets: webhook.secrets });
    try {
      const { status } = await api.call({ method: "OPTIONS", url: webhook.url, headers: {}, mayHave: null });
      if (status >= 500) {
        return failed(REACHED, `${webhook.host} was reached but answered with status ${status}: try again later.`);
      }
      if (status === 404 || status === 410) {
        const detail =
          `${webhook.host} was reached but has nothing at this address (status ${status}): the workflow or webhook was ` +
          "deleted, or the address is incomplete. Copy it again from the channel's workflow in Teams.";
        return failed(REACHED, detail);
      }
      const secure = webhook.url.protocol === "https:" ? " over TLS" : "";
      return [
        {
          name: REACHED,
          ok: true,
          detail: `${webhook.host} answered${secure} with status ${status}. ${doubt(status)}${UNTESTED}`,
        },
      ];
    } catch (error) {
      if (!(error instanceof ExecutorFailure)) throw error;
      // An endpoint that limits requests exists.
      if (error.code === "rate_limited")
        return [{ name: REACHED, ok: true, detail: `${webhook.host} answered. ${UNTESTED}` }];
      return failed(REACHED, masked(error, webhook).message);
    }
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    return failed(error.code === "invalid_config" ? "Configuration" : "Credential", error.message);
  }
}

/** Some endpoints refuse OPTIONS. Only a message would show whether they refuse messages, too. */
function doubt(status: number): string {
  return status === 401 || status === 403
    ? "The address may not be right, or the workflow may not let anyone trigger it. "
    : "";
}

function failed(name: string, detail: string): ConnectionCheck[] {
  return [{ name, ok: false, detail }];
}
