import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { isLoopbackUrl } from "../../../schema/settings/agent-url.ts";
import { Masker } from "../../jobs/masker.ts";
import { formsOf } from "../../mask-forms.ts";
import type { ExecutorContext } from "../executor.ts";
import { ExecutorFailure, parsed } from "../shared/failures.ts";

/** Shorter parts of an address are words such as `workflows` or `v=1.0`, which occur in ordinary text. */
const SECRET_PART_MIN_CHARS = 12;

export interface Webhook {
  url: URL;
  /** The only part of the address for messages: its path and query are the credential. */
  host: string;
  /** The address and its parts in every encoded form. */
  secrets: readonly string[];
  /** Masks the address in results: the runner masks the vault's values, not those of a configuration. */
  masker: Masker;
}

/**
 * The address to post to: the vault's, else the configuration's (docs/design/credentials.md#secrets-in-configurations).
 * Throws `credential_missing`, `invalid_credential` or `invalid_config`, never with the address.
 */
export function webhookOf({ secrets, connection }: ExecutorContext): Webhook {
  const config = parsed(CONNECTION_CONFIGS.teamchat, connection.config, "invalid_config");
  // An address copied from a file may end with a line break.
  const stored = secrets?.["webhookUrl"]?.trim() ?? "";
  const address = stored === "" ? (config.webhookUrl ?? "") : stored;
  const code = stored === "" ? "invalid_config" : "invalid_credential";
  if (address === "") {
    const message =
      "This agent's vault has no webhookUrl for the connection, and its configuration names none. Copy the address from " +
      "the channel's workflow in Teams, and deliver it to this agent.";
    throw new ExecutorFailure("credential_missing", message);
  }
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== "https:" && !isLoopbackUrl(address))) {
    const message =
      "The connection's webhookUrl is not an https:// address. Copy the whole address from the channel's workflow in Teams.";
    throw new ExecutorFailure(code, message);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ExecutorFailure(
      code,
      "The connection's webhookUrl must not include a user or password. Copy it again from Teams.",
    );
  }
  url.hash = "";
  const forms = secretForms(address, url);
  const masker = new Masker();
  masker.setForms(forms);
  return { url, host: url.host, secrets: forms, masker };
}

/** Peers repeat a request's path, its query, or one value of it. */
function secretForms(address: string, url: URL): string[] {
  const parts = [...url.pathname.split("/"), ...url.searchParams.values()];
  const long = parts.flatMap((part) => [part, decoded(part)]).filter((part) => part.length >= SECRET_PART_MIN_CHARS);
  const whole = [address, url.href, url.pathname + url.search, url.pathname, url.search.slice(1)];
  return [...new Set([...whole, ...long].flatMap((value) => [...formsOf(value)]))];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
