import { LOG_LEVELS } from "../schema/settings/parse.ts";
import type { LogLevel } from "../schema/settings/parse.ts";

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warning(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogOptions {
  level: LogLevel;
  /** Applied to every finished line, without exception. */
  mask: (text: string) => string;
  write: (line: string) => void;
  /** Epoch milliseconds. */
  now: () => number;
  /** One readable line for a terminal instead of JSON. */
  human: boolean;
}

/** A structured log: one JSON object per line, `{at, level, message, …fields}`. */
export function createLog(options: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(level) < threshold) return;
      const time = new Date(options.now()).toISOString();
      const line = options.human ? humanLine(time, level, message, fields) : jsonLine(time, level, message, fields);
      // Masking comes first: it looks for secrets as they are written, before the escapes.
      options.write(`${escapeUnseen(options.mask(line))}\n`);
    };
  return { debug: at("DEBUG"), info: at("INFO"), warning: at("WARNING"), error: at("ERROR") };
}

/** Hints that the runtime adds to an error's code: "ECONNREFUSED: Unable to connect. …". */
const RUNTIME_HINTS =
  /(?:: )?Unable to connect\. Is the computer able to access the url\?|\.?\s*For more information, pass `verbose: true` in the second argument to fetch\(\)\.?/gu;

/** The message of an error with the messages of its causes: "cannot reach the service: ECONNREFUSED". */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : describeError(error.cause);
  const message = error.message.replace(RUNTIME_HINTS, "") || error.message;
  return cause === "" || message.includes(cause) ? message : `${message}: ${cause}`;
}

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ at: time, level, message, ...fields });
}

function humanLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? oneLine(value) : JSON.stringify(value)}`);
  return `${time.slice(11, 19)} ${level.padEnd(7)} ${oneLine(message)}${details.join("")}`;
}

/** Text from outside must not be able to start a new log line. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finds control characters
  return /[\u0000-\u001f\u007f]/u.test(text) ? JSON.stringify(text) : text;
}

/**
 * Characters that JSON does not escape and that change what a terminal shows: C1 control characters (one begins an
 * escape sequence), line separators, and marks that change the direction of text.
 */
// oxlint-disable-next-line no-control-regex -- finds control characters
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
const ALL_UNSEEN = new RegExp(UNSEEN.source, "gu");

function escapeUnseen(line: string): string {
  return UNSEEN.test(line)
    ? line.replaceAll(ALL_UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : line;
}
