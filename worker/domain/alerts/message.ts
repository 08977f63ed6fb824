import type { AlertLine } from "./event.ts";
import type { Collected } from "./group.ts";

export interface AlertMessage {
  readonly subject: string;
  readonly text: string;
  readonly url: string | null;
}

const SUBJECT_MAX_CHARS = 200;
const DETAIL_MAX_CHARS = 600;
const LINE_MAX_CHARS = 300;

/** The message of collected events: the event itself when it is the only one. `origin` is the console's; null: unknown. */
export function messageOf(ruleName: string, { count, lines }: Collected, origin: string | null): AlertMessage {
  const [first] = lines;
  if (count === 1 && first !== undefined) {
    const text = first.details.map((detail) => shortened(detail, DETAIL_MAX_CHARS)).join("\n");
    return {
      subject: shortened(first.subject, SUBJECT_MAX_CHARS),
      text,
      url: origin === null || first.path === null ? null : `${origin}${first.path}`,
    };
  }
  const which = count > lines.length ? ` The first ${lines.length}:` : "";
  const text = [`${count} notices of the rule "${ruleName}".${which}`, ...lines.map(toLine)].join("\n");
  return {
    subject: shortened(`${count} notices: ${ruleName}`, SUBJECT_MAX_CHARS),
    text,
    url: origin,
  };
}

/** `2026-11-29 08:15 UTC: …` */
function toLine({ at, subject, details }: AlertLine): string {
  const time = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return shortened(`${time} UTC: ${[subject, ...details].join("; ")}`, LINE_MAX_CHARS);
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
