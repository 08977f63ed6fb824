/**
 * Why a job waits, as a label with few values: the words of `waiting-reason.ts` name agents and count them, and every
 * text would be a time series of its own. The first that fits counts; the test holds it against the words themselves.
 */
const CODES = [
  ["database_unavailable", /^The database does not answer/u],
  ["no_agent", /^The pool has no agent yet/u],
  ["next_poll", /gets it with its next poll\.$/u],
  ["never_started", /has never started|is not started yet/u],
] as const satisfies readonly (readonly [string, RegExp])[];

/** What most agents lack comes first in the words, and is what the label says. */
const OBSTACLES = [
  ["disabled", "disabled"],
  ["offline", "offline"],
  ["no_credential", "without the connection's credential"],
  ["not_polling", "online but not asking for jobs"],
  ["full", "busy with as many jobs as it may run"],
  ["never_started", "never started"],
] as const;

export type WaitingCode = (typeof CODES)[number][0] | (typeof OBSTACLES)[number][0] | "other";

export function waitingCode(reason: string): WaitingCode {
  const code = CODES.find(([, pattern]) => pattern.test(reason))?.[0];
  if (code !== undefined) return code;
  const found = OBSTACLES.map(([name, words]) => ({ name, at: reason.indexOf(words) })).filter(({ at }) => at >= 0);
  return found.toSorted((a, b) => a.at - b.at)[0]?.name ?? "other";
}
