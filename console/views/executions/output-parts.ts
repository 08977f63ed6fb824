import { count, size } from "../../strings/format.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";

export interface OutputPart {
  title: string;
  text: string;
  /** Show the end first: the last lines of a program matter most. */
  fromEnd: boolean;
}

export interface OutputParts {
  exitCode: number | null;
  /** The agent kept only a part of the output. */
  truncated: boolean;
  parts: OutputPart[];
}

/** An output split for display: the streams of programs as text, everything else as JSON. */
export function outputParts(output: JsonValue): OutputParts {
  if (typeof output === "string") return { exitCode: null, truncated: false, parts: [text("Text", output)] };
  if (typeof output !== "object" || output === null || Array.isArray(output)) {
    return { exitCode: null, truncated: false, parts: [json(output)] };
  }
  const { stdout, stderr, exitCode, truncated, ...rest } = output;
  const parts: OutputPart[] = [];
  if (typeof stderr === "string" && stderr !== "") parts.push(text("stderr", stderr));
  if (typeof stdout === "string" && stdout !== "") parts.push(text("stdout", stdout));
  const others = {
    ...rest,
    ...(stdout !== undefined && typeof stdout !== "string" ? { stdout } : {}),
    ...(stderr !== undefined && typeof stderr !== "string" ? { stderr } : {}),
  };
  if (Object.keys(others).length > 0) parts.push(json(others));
  return { exitCode: typeof exitCode === "number" ? exitCode : null, truncated: truncated === true, parts };
}

/** How much of a long text is shown at first. */
export const SHOWN_CHARS = 16_000;

/** A part of a text of at most `chars`, cut at a line break where possible, and the number of characters left out. */
export function excerpt(whole: string, chars: number, fromEnd: boolean): { shown: string; left: number } {
  if (whole.length <= chars) return { shown: whole, left: 0 };
  if (fromEnd) {
    const start = whole.length - chars;
    const line = whole.indexOf("\n", start);
    const from = line === -1 || line > start + chars / 2 ? start : line + 1;
    return { shown: whole.slice(from), left: from };
  }
  const line = whole.lastIndexOf("\n", chars);
  const until = line < chars / 2 ? chars : line;
  return { shown: whole.slice(0, until), left: whole.length - until };
}

/** The last lines of a text, at most `EXCERPT_CHARS` of it. */
export function lastLines(whole: string, count: number): string {
  const lines = whole.slice(-EXCERPT_CHARS).trimEnd().split("\n");
  return lines.slice(-count).join("\n");
}

const EXCERPT_CHARS = 2_000;

/** Control characters and bidirectional marks: they could hide or disguise a part of the text. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\uFEFF]/gu;
const ESCAPE = "\u001B";
/** A terminal sequence after the escape character, for colours and cursor moves. */
const TERMINAL_SEQUENCE = /^\[[\d;?]*[ -/]*[@-~]/u;

/** Makes a text readable: removes terminal sequences and shows other invisible characters by a symbol. */
export function readable(text: string): string {
  const [begin = "", ...escaped] = text.replaceAll("\r\n", "\n").split(ESCAPE);
  const rest = escaped.map((part) =>
    TERMINAL_SEQUENCE.test(part) ? part.replace(TERMINAL_SEQUENCE, "") : `${ESCAPE}${part}`,
  );
  return [begin, ...rest].join("").replaceAll(INVISIBLE, (char) => {
    if (char === "\n" || char === "\t") return char;
    // A line that a carriage return would overwrite is shown above the new one.
    if (char === "\r") return "␍\n";
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** A text's size for people: "12 lines, 3 KiB". */
export function sizeLabel(text: string): string {
  const lines = text.replace(/\n$/u, "").split("\n").length;
  const amount = size(new TextEncoder().encode(text).length);
  return lines > 1 ? `${count(lines, "line")}, ${amount}` : amount;
}

function text(title: string, content: string): OutputPart {
  return { title, text: content, fromEnd: true };
}

function json(value: JsonValue): OutputPart {
  return { title: "JSON", text: JSON.stringify(value, null, 2), fromEnd: false };
}
