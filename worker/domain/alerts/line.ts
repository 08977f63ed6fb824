import type { AlertLine } from "./event.ts";

const SUBJECT_MAX_CHARS = 200;
const DETAIL_MAX_CHARS = 600;
/** No event has so many: this bounds what a rule stores. */
const DETAILS_MAX = 5;

/** A collected event: the texts of an execution or an agent may have any length. */
export function shortLine({ subject, details, ...line }: AlertLine): AlertLine {
  return {
    ...line,
    subject: shortened(subject, SUBJECT_MAX_CHARS),
    details: details.slice(0, DETAILS_MAX).map((detail) => shortened(detail, DETAIL_MAX_CHARS)),
  };
}

export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
