/** What the Alerter reads, and how others call it. */
export { readAsking } from "./asking.ts";
export { readFailedRuns } from "./failed-runs.ts";
export { readKnownRules } from "./known-rules.ts";
export type { KnownRules } from "./known-rules.ts";
export { readLostCredentials } from "./lost-credentials.ts";
export type { EventPage } from "./page.ts";
export { readPools } from "./pools.ts";
export { readRefusedLogins } from "./refused-logins.ts";
export { readRecoveries, recovered } from "./recoveries.ts";
export type { Failing, Recoveries } from "./recoveries.ts";
export { readSwitchedOff } from "./switched-off.ts";
export { nudgeAlerter, refreshAlerter } from "./tick.ts";
