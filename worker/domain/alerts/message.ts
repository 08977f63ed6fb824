import type { AlertLine } from "./event.ts";
import type { Collected } from "./group.ts";
import { shortened } from "./line.ts";
import { shownTime } from "../shown-time.ts";

const MINUTE_MS = 60_000;

export interface AlertMessage {
  readonly subject: string;
  readonly text: string;
  readonly url: string | null;
}

const TITLE_MAX_CHARS = 200;
const LINE_MAX_CHARS = 300;

/** The message of collected events: the event itself when it is the only one. `origin` is the console's; null: unknown. */
export function messageOf(ruleName: string, { count, lines }: Collected, origin: string | null): AlertMessage {
  const [first] = lines;
  if (count === 1 && first !== undefined) {
    return {
      subject: first.subject,
      text: first.details.join("\n"),
      url: urlOf(first, origin),
    };
  }
  const which = count > lines.length ? ` The first ${lines.length}:` : "";
  const text = [
    `${count} notices of the rule "${ruleName}".${which}`,
    ...lines.map((line) => toLine(line, origin)),
  ].join("\n");
  return {
    subject: shortened(`${count} notices: ${ruleName}`, TITLE_MAX_CHARS),
    text,
    url: origin,
  };
}

/** `2026-11-29 08:15 UTC: … https://bellhop.example/executions/exe_1` */
function toLine(line: AlertLine, origin: string | null): string {
  const text = shortened(
    `${shownTime(line.at - (line.at % MINUTE_MS))}: ${[line.subject, ...line.details].join("; ")}`,
    LINE_MAX_CHARS,
  );
  const url = urlOf(line, origin);
  return url === null ? text : `${text} ${url}`;
}

function urlOf({ path }: AlertLine, origin: string | null): string | null {
  return origin === null || path === null ? null : `${origin}${path}`;
}
