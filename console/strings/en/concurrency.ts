import type { ConcurrencyMode } from "../../../schema/contract/concurrency.ts";

const forEach = (key: string | undefined) => (key === undefined ? "" : ` for each ${key}`);

/** A workflow's rule for runs at the same time. */
export const concurrency = {
  mode: "When another run is open",
  modes: {
    allow: "Run beside it",
    queue: "Wait for its turn",
    skip: "Skip this run",
    cancelPrevious: "Cancel the other run",
  } satisfies Record<ConcurrencyMode, string>,
  modeHints: {
    allow: "Runs do not wait for each other.",
    queue: "One run at a time; the others wait, oldest first.",
    skip: "A start that finds an open run ends as cancelled.",
    cancelPrevious: "The open run ends first. An action that is not safe to stop runs to its end before that.",
  } satisfies Record<ConcurrencyMode, string>,
  key: "Key",
  keyHint: (example: string) =>
    `One run at a time for each value, such as {{${example}}}. Empty: for the whole workflow.`,
  maxQueued: "Waiting runs at most",
  maxQueuedHint: "For each key. A further run ends and is listed as missed.",
  sameTime: "Runs at the same time",
  sameTimeRules: {
    allow: () => "any number",
    queue: (key) => `one${forEach(key)}, others wait`,
    skip: (key) => `one${forEach(key)}, others are skipped`,
    cancelPrevious: (key) => `one${forEach(key)}, the newest`,
  } satisfies Record<ConcurrencyMode, (key: string | undefined) => string>,
};
