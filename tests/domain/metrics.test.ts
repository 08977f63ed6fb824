import { describe, expect, test } from "bun:test";
import { quantiles } from "../../worker/domain/metrics/quantiles.ts";
import { waitingCode } from "../../worker/domain/metrics/waiting-code.ts";
import type { WaitingCode } from "../../worker/domain/metrics/waiting-code.ts";

describe("quantiles are values that there were", () => {
  test.each([
    ["of none", [], []],
    ["of one", [7], [7, 7, 7]],
    ["of three, in any order", [3, 1, 2], [2, 3, 3]],
    ["of a hundred", Array.from({ length: 100 }, (_, i) => i + 1), [50, 90, 99]],
  ])("%s", (_what, values, expected) => {
    expect(quantiles(values).map(({ value }) => value)).toEqual(expected);
  });
});

/** The words that `waiting-reason.ts` and a Pool's view use: when they change, this must. */
const words: [string, WaitingCode][] = [
  ["The pool has no agent yet: create one in it, and start it.", "no_agent"],
  ["Agent web-1 gets it with its next poll.", "next_poll"],
  ["Agent offline gets it with its next poll.", "next_poll"],
  ["No agent of the pool can take it: 2 offline, 1 disabled.", "offline"],
  ["No agent of the pool can take it: 3 busy with as many jobs as it may run.", "full"],
  ["No agent of the pool can take it: 1 without the connection's credential.", "no_credential"],
  ["No agent of the pool can take it: 1 online but not asking for jobs, 1 offline.", "not_polling"],
  ["No agent of the pool can take it: 4 never started, 1 full.", "never_started"],
  ["Its agent has never started: install it with its key, and start it.", "never_started"],
  ["Its agent web-1 is not started yet.", "never_started"],
  ["Its agent web-1 is disabled.", "disabled"],
  ["The database does not answer, so no job is given out until it does.", "database_unavailable"],
  ["Something that nobody has thought of.", "other"],
];

test.each(words)("%s", (reason, code) => {
  expect(waitingCode(reason)).toBe(code);
});
