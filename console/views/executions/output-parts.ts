import type { JsonValue } from "../../../schema/contract/json.ts";

export interface OutputPart {
  title: string;
  text: string;
  /** Its end matters most: what a program said last. */
  fromEnd: boolean;
}

export interface OutputParts {
  exitCode: number | null;
  /** The agent kept no more than this of it. */
  truncated: boolean;
  parts: OutputPart[];
}

/** An output as it is shown: what programs wrote as text, everything else as JSON. */
export function outputParts(output: JsonValue): OutputParts {
  if (typeof output === "string") return { exitCode: null, truncated: false, parts: [text("Text", output)] };
  if (typeof output !== "object" || output === null || Array.isArray(output)) {
    return { exitCode: null, truncated: false, parts: [json(output)] };
  }
  const { stdout, stderr, exitCode, truncated, ...rest } = output;
  const parts: OutputPart[] = [];
  if (typeof stdout === "string" && stdout !== "") parts.push(text("stdout", stdout));
  if (typeof stderr === "string" && stderr !== "") parts.push(text("stderr", stderr));
  const others = {
    ...rest,
    ...(stdout !== undefined && typeof stdout !== "string" ? { stdout } : {}),
    ...(stderr !== undefined && typeof stderr !== "string" ? { stderr } : {}),
  };
  if (Object.keys(others).length > 0) parts.push(json(others));
  return { exitCode: typeof exitCode === "number" ? exitCode : null, truncated: truncated === true, parts };
}

/** As much of a long text as is drawn at first, and with every "more". */
export const SHOWN_CHARS = 16_000;

/** A piece of a text of at most `chars`, at whole lines where there are any; and how much it leaves out. */
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

/** What controls a terminal or turns the direction of writing: it would hide or disguise what was written. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\uFEFF]/gu;
const ESCAPE = "\u001B";
/** What follows an escape to give a colour or to move about. */
const TERMINAL_ORDER = /^\[[\d;?]*[ -/]*[@-~]/u;

/** A text as it can be read: colours of a terminal are left out, other characters that nobody sees are shown as what they are. */
export function readable(text: string): string {
  const [begin = "", ...escaped] = text.replaceAll("\r\n", "\n").split(ESCAPE);
  const rest = escaped.map((part) =>
    TERMINAL_ORDER.test(part) ? part.replace(TERMINAL_ORDER, "") : `${ESCAPE}${part}`,
  );
  return [begin, ...rest].join("").replaceAll(UNSEEN, (unseen) => {
    if (unseen === "\n" || unseen === "\t") return unseen;
    // A line that was written over another one stands below it.
    if (unseen === "\r") return "␍\n";
    const code = unseen.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** How much a text is, in words. */
export function sizeLabel(text: string): string {
  const lines = text.replace(/\n$/u, "").split("\n").length;
  const bytes = new TextEncoder().encode(text).length;
  const amount = bytes < 1_024 ? `${bytes} ${bytes === 1 ? "byte" : "bytes"}` : `${Math.round(bytes / 1_024)} KiB`;
  return lines > 1 ? `${lines} lines, ${amount}` : amount;
}

function text(title: string, content: string): OutputPart {
  return { title, text: content, fromEnd: true };
}

function json(value: JsonValue): OutputPart {
  return { title: "JSON", text: JSON.stringify(value, null, 2), fromEnd: false };
}
