import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

const MAX_BYTES = 10 * 1024 * 1024;
/** Severities that are shown in the person's terminal. */
const LOUD = new Set(["WARNING", "ERROR"]);

/** The service's log: all of it in `<state>/service.log`, the important lines on the console. */
export interface ServiceLog {
  file: string;
  /** Takes a line from workerd: JSON of the Worker's log, or workerd's own text. */
  write(line: string): void;
}

/**
 * Appends to the last run's log: the lines before an end are the ones people look for. Past `maxBytes` the file becomes
 * `service.log.1` and replaces the one before. With `logLevel` all lines are also shown.
 */
export function openServiceLog(options: {
  stateDirectory: string;
  logLevel: string | undefined;
  show?: (line: string) => void;
  maxBytes?: number;
}): ServiceLog {
  const { stateDirectory, logLevel, show = console.error, maxBytes = MAX_BYTES } = options;
  const file = join(stateDirectory, "service.log");
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let isBroken = false;
  const append = (line: string) => {
    try {
      if (bytes >= maxBytes) {
        renameSync(file, `${file}.1`);
        bytes = 0;
      }
      appendFileSync(file, line, { mode: 0o600 });
      bytes += Buffer.byteLength(line);
      isBroken = false;
    } catch (error) {
      // A full disk must not end the service, and is reported once.
      if (!isBroken) show(`bellhop: the service's log cannot be written to ${file}: ${String(error)}`);
      isBroken = true;
    }
  };
  return {
    file,
    write: (line) => {
      const entry = parse(line);
      append(`${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
      if (logLevel !== undefined || LOUD.has(String(entry["level"]))) show(line);
    },
  };
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry === "object" && entry !== null && "level" in entry) return { ...entry };
  } catch {
    // workerd's own text, handled below.
  }
  // workerd marks what needs no report, such as an alarm that came late because the machine was busy.
  return { level: line.includes("NOSENTRY") ? "INFO" : "WARNING", message: line };
}
