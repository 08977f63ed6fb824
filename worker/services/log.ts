import { AsyncLocalStorage } from "node:async_hooks";
import { LOG_LEVELS } from "../../schema/settings/parse.ts";
import type { LogLevel } from "../../schema/settings/parse.ts";

/** Fields are ids and messages, never a secret (invariant 6). */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Shared by all objects of an isolate: an isolate has one configuration. */
let threshold = LOG_LEVELS.indexOf("INFO");
const surroundings = new AsyncLocalStorage<LogFields>();

/** For routine events, such as reads and idle polls. */
export function logDebug(message: string, fields: LogFields): void {
  if (logs("DEBUG")) console.debug(line("DEBUG", message, fields));
}

/** For changes. */
export function logInfo(message: string, fields: LogFields): void {
  if (logs("INFO")) console.log(line("INFO", message, fields));
}

export function logWarning(message: string, fields: LogFields): void {
  if (logs("WARNING")) console.warn(line("WARNING", message, fields));
}

export function logError(message: string, fields: LogFields): void {
  console.error(line("ERROR", message, fields));
}

function logs(level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= threshold;
}

export function setLogLevel(level: LogLevel): void {
  threshold = LOG_LEVELS.indexOf(level);
}

/** Adds these fields, such as a request id, to every line that is logged inside `work`. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return surroundings.run({ ...surroundings.getStore(), ...fields }, work);
}

/** One JSON object a line: `{level, message, …}`. The platform adds the time. */
function line(level: LogLevel, message: string, fields: LogFields): string {
  const all = { level, message, ...surroundings.getStore(), ...fields };
  return JSON.stringify(all, (_key, value: unknown) => (typeof value === "string" ? clean(value) : value));
}

/**
 * The error of a failed query lists its parameter values, which may be personal data. Secrets are removed by their form
 * (services/keys.ts), in case one gets into a message.
 */
function clean(text: string): string {
  return (text.split("\nparams:")[0] ?? "").replaceAll(LONG_SECRETS, "$1…").replaceAll(WEBHOOK_KEYS, "wh…");
}

/** Keys of agents and integrations (their first part is not secret), API tokens, webhook secrets. */
const LONG_SECRETS = /\b(bh[A-Za-z0-9]{10}_|itg[A-Za-z0-9]{10}_|bht_|whs_)[A-Za-z0-9]{43}\b/gu;
const WEBHOOK_KEYS = /\bwh[A-Za-z0-9]{22}\b/gu;
