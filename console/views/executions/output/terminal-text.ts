import { PLAIN, styleAfter } from "./terminal-style.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** A program's output for display: its characters without terminal sequences, and the styles of parts of it. */
export interface TerminalText {
  text: string;
  /** In order, not overlapping; text without a style is in no span. */
  spans: readonly StyledSpan[];
}

export interface StyledSpan {
  from: number;
  to: number;
  style: TerminalStyle;
}

/** Control characters and bidirectional marks: they could hide or disguise a part of the text. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\uFEFF]/gu;
const ESCAPE = "\u001B";
/** A terminal sequence after the escape character, for colours and cursor moves (ECMA-48, section 5.4). */
const TERMINAL_SEQUENCE = /^\[([0-?]*)[ -/]*([@-~])/u;

/**
 * Removes terminal sequences and keeps the styles that they set (ECMA-48, SGR). Other invisible characters become
 * symbols.
 */
export function terminalText(raw: string): TerminalText {
  const [begin = "", ...escaped] = raw.replaceAll("\r\n", "\n").split(ESCAPE);
  const pieces = [visible(begin)];
  const spans: StyledSpan[] = [];
  let at = pieces[0]?.length ?? 0;
  let style = PLAIN;
  const styleOf = rememberedStyles();
  for (const part of escaped) {
    const sequence = TERMINAL_SEQUENCE.exec(part);
    if (sequence?.[2] === "m") style = styleOf(style, sequence[1] ?? "");
    const piece = visible(sequence === null ? `${ESCAPE}${part}` : part.slice(sequence[0].length));
    pieces.push(piece);
    if (style !== PLAIN && piece !== "") spans.push({ from: at, to: at + piece.length, style });
    at += piece.length;
  }
  return { text: pieces.join(""), spans };
}

/** Equal steps from one style to the next give the same object: a text may have 100,000 of them. */
function rememberedStyles(): typeof styleAfter {
  const after = new Map<TerminalStyle, Map<string, TerminalStyle>>();
  return (style, parameters) => {
    const known = after.get(style) ?? new Map<string, TerminalStyle>();
    const next = known.get(parameters) ?? styleAfter(style, parameters);
    after.set(style, known.set(parameters, next));
    return next;
  };
}

function visible(text: string): string {
  return text.replaceAll(INVISIBLE, (char) => {
    if (char === "\n" || char === "\t") return char;
    // A line that a carriage return would overwrite is shown above the new one.
    if (char === "\r") return "␍\n";
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** More pieces are shown without styles: each is an element of the page. */
const PIECES_MAX = 2_000;

/** The pieces of a part of a text, each with its style. */
export function styledPieces(
  { text, spans }: TerminalText,
  from: number,
  to: number,
): { text: string; style: TerminalStyle }[] {
  const pieces: { text: string; style: TerminalStyle }[] = [];
  let at = from;
  const add = (until: number, style: TerminalStyle) => {
    if (until > at) pieces.push({ text: text.slice(at, until), style });
    at = Math.max(at, until);
  };
  for (const span of spans) {
    if (span.to <= from || span.from >= to) continue;
    add(Math.max(span.from, from), PLAIN);
    add(Math.min(span.to, to), span.style);
  }
  add(to, PLAIN);
  return pieces.length > PIECES_MAX ? [{ text: text.slice(from, to), style: PLAIN }] : pieces;
}
