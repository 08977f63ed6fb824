import type { ActionParams } from "../../../schema/contract/action.ts";
import { type Mailbox, parseMailbox, splitAddresses } from "../../../schema/contract/mail-address.ts";
import { invalidParams } from "../shared/failures.ts";

const RECIPIENTS_MAX = 100;
const SHOWN_MAX = 5;

export interface Recipients {
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  /** Every address once, in this order, as the server gets them. */
  envelope: string[];
}

/** The recipients of a message. Throws `invalid_params`, which names every invalid address. */
export function recipientsOf(params: Pick<ActionParams<"email.sendEmail">, "to" | "cc" | "bcc">): Recipients {
  const [to, cc, bcc] = (["to", "cc", "bcc"] as const).map((field) => mailboxes(field, params[field]));
  const all = [...(to ?? []), ...(cc ?? []), ...(bcc ?? [])];
  const byAddress = Map.groupBy(all, ({ address }) => address.toLowerCase());
  const envelope = [...byAddress.values()].flatMap(([first]) => (first === undefined ? [] : [first.address]));
  if (envelope.length > RECIPIENTS_MAX) {
    throw invalidParams(
      `There are ${envelope.length} recipients, and a message has at most ${RECIPIENTS_MAX}: send to a list's address.`,
    );
  }
  return { to: to ?? [], cc: cc ?? [], bcc: bcc ?? [], envelope };
}

function mailboxes(field: "to" | "cc" | "bcc", value: string | readonly string[] | undefined): Mailbox[] {
  // Templates without a result are empty. An empty cc or bcc is valid, an empty to is a mistake.
  const texts = (typeof value === "string" ? [value] : (value ?? [])).flatMap(splitAddresses);
  if (field === "to" && texts.length === 0) throw invalidParams("to is empty: name at least one recipient.");
  const read = texts.map((text) => ({ text, mailbox: parseMailbox(text) }));
  const wrong = read.filter(({ mailbox }) => mailbox === null).map(({ text }) => JSON.stringify(text.slice(0, 100)));
  if (wrong.length > 0) {
    const more = wrong.length > SHOWN_MAX ? ` and ${wrong.length - SHOWN_MAX} more` : "";
    throw invalidParams(
      `${field} must hold mail addresses, such as ada@example.com or Ada <ada@example.com>, but has ` +
        `${wrong.slice(0, SHOWN_MAX).join(", ")}${more}. Groups and addresses in quotes are not accepted.`,
    );
  }
  return read.flatMap(({ mailbox }) => (mailbox === null ? [] : [mailbox]));
}
