import { ADDRESSES_MAX } from "../../../schema/contract/action-params.ts";
import { parseMailbox, splitAddresses } from "../../../schema/contract/mail-address.ts";
import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { parsePhoneNumber } from "../../domain/notification/phone-number.ts";
import { checkWebhookAddress } from "../../domain/notification/webhook-address.ts";
import type { NotificationReceiverRow } from "../../store/notification-receivers.ts";
import type { Deps } from "../deps.ts";
import { checkWebhookTarget, isPrivateHost } from "../notifications/index.ts";
import { invalidInput } from "../parse.ts";
import { sealText } from "../sealed-text.ts";

type AddressColumns = Pick<NotificationReceiverRow, "recipients" | "sealedAddress" | "shown">;

const SHOWN_CHARS = 100;

/** The columns of `to`. Throws `invalid_request` with the path of what is no address of the type. */
export async function addressColumns(
  { settings }: Pick<Deps, "settings">,
  { id, type }: { id: string; type: ReceiverType },
  to: string | readonly string[],
): Promise<AddressColumns> {
  const entries =
    typeof to === "string" ? [{ path: "to", text: to }] : to.map((text, at) => ({ path: `to.${at}`, text }));
  if (type === "email") return readable(mailAddresses(entries));
  const [first, ...others] = entries;
  if (first === undefined || others.length > 0)
    throw wrong("to", `must be one ${type === "sms" ? "number" : "address"}`);
  if (type === "sms") return readable([phoneNumber(first)]);
  const url = webhookUrl(type, first, settings.channelsOfEnvironment.allowPrivate);
  return {
    recipients: null,
    sealedAddress: await sealText(settings.secret, id, url),
    // Path and query are secrets, also of a webhook: some services have a short word there, by which anyone can send.
    shown: `${new URL(url).origin}/…`,
  };
}

interface Entry {
  readonly path: string;
  readonly text: string;
}

function readable(recipients: string[]): AddressColumns {
  return { recipients, sealedAddress: null, shown: recipients.join(", ") };
}

function mailAddresses(entries: readonly Entry[]): string[] {
  const errors = entries.flatMap(({ path, text }): FieldError[] => {
    const addresses = splitAddresses(text);
    const bad = addresses.find((address) => parseMailbox(address) === null);
    if (addresses.length > 0 && bad === undefined) return [];
    const which = bad === undefined ? "it is empty" : `${JSON.stringify(bad.slice(0, SHOWN_CHARS))} is not one`;
    return [{ path, message: `must be mail addresses like ada@example.com, and ${which}` }];
  });
  if (errors.length > 0) throw invalidInput(errors);
  const addresses = [...new Set(entries.flatMap(({ text }) => splitAddresses(text)))];
  if (addresses.length <= ADDRESSES_MAX) return addresses;
  throw wrong(
    "to",
    `has ${addresses.length} addresses, and ${ADDRESSES_MAX} are allowed: use the address of a mailing list`,
  );
}

function phoneNumber({ path, text }: Entry): string {
  const number = parsePhoneNumber(text);
  if (number === null) throw wrong(path, "must be a number with its country code, like +15005550006");
  return number;
}

type AddressedType = Exclude<ReceiverType, "email" | "sms">;

function webhookUrl(type: AddressedType, { path, text }: Entry, allowPrivate: boolean): string {
  const problem = checkWebhookAddress(text);
  if (problem !== null) throw wrong(path, URL.canParse(text.trim()) ? problem : (WHERE_FROM[type] ?? problem));
  const target = checkWebhookTarget(text, allowPrivate);
  if (!target.ok) throw wrong(path, target.message);
  const { hostname, pathname } = new URL(target.url);
  // An operator who allows private addresses may have a proxy to Slack or Teams there.
  if (type === "webhook" || isPrivateHost(hostname)) return target.url;
  if (type === "slack" && !SLACK_HOSTS.has(hostname)) throw wrong(path, WHERE_FROM.slack);
  // The path names the webhook: an address with less of it was copied incompletely.
  if (!WEBHOOK_PATH.test(pathname)) throw wrong(path, WHERE_FROM[type]);
  return target.url;
}

/** At least two parts. */
const WEBHOOK_PATH = /^\/[^/]+\/[^/]/u;

/** The hosts of incoming webhooks of Slack and GovSlack. */
const SLACK_HOSTS: ReadonlySet<string> = new Set(["hooks.slack.com", "hooks.slack-gov.com"]);

const WHERE_FROM = {
  slack:
    "must be the address of an incoming webhook, like https://hooks.slack.com/services/…: in Slack, Create an app → Incoming Webhooks → Add New Webhook",
  teams:
    "must be the https address of a workflow: in Teams, Workflows → Send webhook alerts to a channel, open to anyone",
  webhook: null,
} as const satisfies Record<AddressedType, string | null>;

function wrong(path: string, message: string) {
  return invalidInput([{ path, message }]);
}
