import { stripVTControlCharacters } from "node:util";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { OUTPUT_MAX_BYTES, STREAM_MAX_BYTES } from "../../../schema/limits.ts";
import type { CappedStream } from "./capped-stream.ts";
import { cutText } from "./cut.ts";
import { OWN_SYSTEM, type System } from "./environment.ts";
import { ExecutorFailure } from "./failures.ts";

const JSON_ROOM_BYTES = 16 * 1_024;
const SMALLER_LIMITS = [1, 15 / 16, 7 / 8, 3 / 4, 1 / 2, 1 / 4, 1 / 8].map((share) => share * STREAM_MAX_BYTES);
const LAST_LINE_MAX_BYTES = 500;

export interface Streams {
  stdout: CappedStream;
  stderr: CappedStream;
}

/**
 * The output of a program: `{stdout, stderr, exitCode?, truncated?, droppedBytes?}`. Two full streams, or one of control characters,
 * can exceed the limit of an output as JSON (docs/design/limits.md#outputs). Then less of both is kept.
 */
export function streamsOutput({ stdout, stderr }: Streams, exitCode: number | null): JsonObject {
  let output: JsonObject = {};
  for (const limitBytes of SMALLER_LIMITS) {
    const [out, err] = [stdout.read(limitBytes), stderr.read(limitBytes)];
    const droppedBytes = out.droppedBytes + err.droppedBytes;
    output = {
      stdout: out.text,
      stderr: err.text,
      ...(exitCode === null ? {} : { exitCode }),
      ...(droppedBytes > 0 ? { truncated: true, droppedBytes } : {}),
    };
    if (Buffer.byteLength(JSON.stringify(output)) <= OUTPUT_MAX_BYTES - JSON_ROOM_BYTES) break;
  }
  return output;
}

/** A program's output after success; otherwise a failure with its exit code or signal and the last line of stderr. */
export function finishedProgram(
  program: string,
  end: { exitCode: number; signal: string | null; streams: Streams; secrets: readonly string[] },
  system: System = OWN_SYSTEM,
): JsonObject {
  const output = streamsOutput(end.streams, end.exitCode);
  if (end.exitCode === 0) return output;
  const lastText = lastLine(end.streams.stderr, end.secrets);
  const said = lastText === "" ? "It wrote nothing to stderr." : `Last line of stderr: ${lastText}`;
  if (end.signal !== null) {
    const message = `${program} was ended by ${end.signal}, by the system (out of memory?) or by someone else. ${said}`;
    throw new ExecutorFailure("ended_by_signal", message, output);
  }
  throw new ExecutorFailure(
    "nonzero_exit",
    `${program} ended with exit code ${exitText(end.exitCode, system)}. ${said}`,
    output,
  );
}

/** POSIX shells report a command that a signal ended as 128 plus the signal's number. */
function exitText(exitCode: number, system: System): string {
  if (system === "windows") return String(exitCode);
  const meaning: Record<number, string> = {
    126: " (found, but could not be run)",
    127: " (command not found)",
    137: " (128 + 9: SIGKILL, often out of memory)",
    139: " (128 + 11: SIGSEGV, it crashed)",
    143: " (128 + 15: SIGTERM)",
  };
  return `${exitCode}${meaning[exitCode] ?? ""}`;
}

/** Without the terminal's colours: messages are also read in lists and emails. */
function lastLine(stderr: CappedStream, secrets: readonly string[]): string {
  const text = stripVTControlCharacters(stderr.read().text);
  const line = text.trimEnd().split(/\r?\n/u).at(-1) ?? "";
  return cutText(line, LAST_LINE_MAX_BYTES, secrets).text;
}
