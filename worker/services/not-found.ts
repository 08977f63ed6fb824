import { ProblemError } from "./problem.ts";

const SHOWN_CHARS = 80;

/** 404 for one thing of a kind, in words: `There is no agent agt_….` */
export function notFound(kind: string, id: string): ProblemError {
  const shown = id.length > SHOWN_CHARS ? `${id.slice(0, SHOWN_CHARS)}…` : id;
  return new ProblemError(
    "not_found",
    `There is no ${kind} ${shown}. It may have been deleted; the list shows what there is.`,
  );
}
