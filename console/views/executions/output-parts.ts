import { executionOutput as texts } from "../../strings/en/execution-output.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";

export interface OutputPart {
  title: string;
  text: string;
  isJson: boolean;
}

export interface OutputParts {
  exitCode: number | null;
  /** The agent kept only a part of the output. */
  truncated: boolean;
  /** The bytes that the agent left out; null when they are not known. */
  droppedBytes: number | null;
  parts: OutputPart[];
}

/** An output split for display: the streams of programs as text, everything else as JSON. */
export function outputParts(output: JsonValue): OutputParts {
  const whole = { exitCode: null, truncated: false, droppedBytes: null };
  if (typeof output === "string") return { ...whole, parts: [part(texts.parts.text, output)] };
  if (typeof output !== "object" || output === null || Array.isArray(output)) {
    return { ...whole, parts: [json(output)] };
  }
  const { stdout, stderr, exitCode, truncated, droppedBytes, ...rest } = output;
  const parts: OutputPart[] = [];
  if (typeof stderr === "string" && stderr !== "") parts.push(part("stderr", stderr));
  if (typeof stdout === "string" && stdout !== "") parts.push(part("stdout", stdout));
  const others = {
    ...rest,
    ...(stdout !== undefined && typeof stdout !== "string" ? { stdout } : {}),
    ...(stderr !== undefined && typeof stderr !== "string" ? { stderr } : {}),
  };
  if (Object.keys(others).length > 0) parts.push(json(others));
  return {
    exitCode: typeof exitCode === "number" ? exitCode : null,
    truncated: truncated === true,
    droppedBytes: isCount(droppedBytes) ? droppedBytes : null,
    parts,
  };
}

/** Agents send what they like: a count is a whole number, and not below zero. */
function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** How much of a long text is shown outside the viewer. */
const EXCERPT_MAX_CHARS = 16_000;

/** The part of a long text that is shown outside the viewer, cut at a line break where possible. */
export function excerptOf(whole: string, fromEnd: boolean, chars = EXCERPT_MAX_CHARS): { from: number; to: number } {
  const all = whole.length;
  if (all <= chars) return { from: 0, to: all };
  if (fromEnd) {
    const start = all - chars;
    const line = whole.indexOf("\n", start);
    return { from: line === -1 || line > start + chars / 2 ? start : line + 1, to: all };
  }
  const line = whole.lastIndexOf("\n", chars);
  return { from: 0, to: line < chars / 2 ? chars : line };
}

const LAST_LINES_MAX_CHARS = 2_000;

/** The last lines of a text, at most `LAST_LINES_MAX_CHARS` of it. */
export function lastLines(whole: string, count: number): string {
  const lines = whole.slice(-LAST_LINES_MAX_CHARS).trimEnd().split("\n");
  return lines.slice(-count).join("\n");
}

/** A text's size for people: "12 lines, 3 KiB". */
export function sizeLabel(text: string): string {
  const lines = text.replace(/\n$/u, "").split("\n").length;
  return texts.size(lines, new TextEncoder().encode(text).length);
}

function part(title: string, text: string): OutputPart {
  return { title, text, isJson: false };
}

function json(value: JsonValue): OutputPart {
  return { title: texts.parts.json, text: JSON.stringify(value, null, 2), isJson: true };
}
