import { MARK } from "./marks.ts";
import type { Steps } from "./steps.ts";

const OUTSIDE = 'is outside a string. Write it inside quotes, such as "{{…}}", or pass it in env and write $env:NAME.';
const EVALUATED =
  "is in a string with $(…), which PowerShell evaluates. Use a string without it, or pass the value in env.";
const UNCLEAR =
  "is in a script whose strings cannot all be found. Close every string, leave out --%, and put a blank before # where a comment begins.";

// PowerShell reads typographic quotes as plain ones (about_Quoting_Rules).
const SINGLE = /['\u2018-\u201b]/u;
const DOUBLE = /["\u201c-\u201e]/u;

/** A string in double quotes or, at `depth` of open brackets, the code of a `$(…)` in one. */
interface Frame {
  readonly type: "string" | "hereString" | "code";
  depth: number;
  /** Where the places of its templates begin, and whether it has `$(` in it. */
  readonly from: number;
  hasCode: boolean;
}

/**
 * Why each template of a PowerShell script cannot be where it is, as a sentence's end; null inside a string that evaluates
 * nothing. The lexer knows comments, quotes, here-strings and `$(…)`, and nothing else of PowerShell.
 */
export function powershellPlaces(source: string, steps: Steps): (string | null)[] {
  steps.spend(source.length);
  const places: (string | null)[] = [];
  const frames: Frame[] = [{ type: "code", depth: 0, from: 0, hasCode: false }];
  const unclear = () => Array.from({ length: source.split(MARK).length - 1 }, () => UNCLEAR);
  if (source.includes("--%")) return unclear();
  let at = 0;
  let mark = source.indexOf(MARK);
  while (at < source.length) {
    const frame = frames.at(-1);
    if (frame === undefined) return unclear();
    const char = source[at] ?? "";
    const next = source[at + 1] ?? "";
    let end = at + 1;
    let reason: string | null = frame.type === "code" ? OUTSIDE : frames.length > 2 ? EVALUATED : null;
    if (char === "`") end = at + 2;
    else if (char === "$" && next === "{") [end, reason] = [endOf(source, "}", at), OUTSIDE];
    else if (frame.type !== "code") {
      if (char === "$" && next === "(") {
        frame.hasCode = true;
        frames.push({ type: "code", depth: 0, from: places.length, hasCode: false });
        end = at + 2;
      } else if (frame.type === "string" && DOUBLE.test(char) && DOUBLE.test(next)) end = at + 2;
      else if (frame.type === "string" ? DOUBLE.test(char) : /^\n["\u201c-\u201e]@/u.test(source.slice(at, at + 3))) {
        frames.pop();
        if (frame.hasCode) places.fill(EVALUATED, frame.from);
        if (frame.type === "hereString") end = at + 3;
      }
    } else if (char === "<" && next === "#") end = endOf(source, "#>", at);
    else if (char === "#" && !/[\w.:\\/-]/u.test(source[at - 1] ?? " ")) {
      if (!/[\s;(){}|&,=<>+*!]/u.test(source[at - 1] ?? " ")) return unclear();
      end = endOf(source, "\n", at);
    } else if (
      char === "@" &&
      (SINGLE.test(next) || DOUBLE.test(next)) &&
      /^[ \t]*\r?\n/u.test(source.slice(at + 2, at + 99))
    ) {
      const line = source.indexOf("\n", at);
      if (DOUBLE.test(next)) {
        frames.push({ type: "hereString", depth: 0, from: places.length, hasCode: false });
        end = line;
      } else [end, reason] = [endOfHereString(source, line), null];
    } else if (SINGLE.test(char)) [end, reason] = [endOfSingle(source, at), null];
    else if (DOUBLE.test(char)) frames.push({ type: "string", depth: 0, from: places.length, hasCode: false });
    else if (char === "(") frame.depth += 1;
    else if (char === ")" && frame.depth > 0) frame.depth -= 1;
    else if (char === ")" && frames.length > 1) frames.pop();
    if (end < 0) return unclear();
    for (; mark >= 0 && mark < end; mark = source.indexOf(MARK, mark + 1)) {
      places.push(frames.length > 2 && reason === null ? EVALUATED : reason);
    }
    at = end;
  }
  return frames.length === 1 ? places : unclear();
}

/** Behind the next `text`; -1 where there is none. A comment ends with the script, too. */
function endOf(source: string, text: string, at: number): number {
  const found = source.indexOf(text, at + 1);
  if (found < 0) return text === "\n" ? source.length : -1;
  return found + text.length;
}

/** Behind a string in single quotes; a quote is written twice in it. */
function endOfSingle(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (!SINGLE.test(source[at] ?? "")) continue;
    if (!SINGLE.test(source[at + 1] ?? "")) return at + 1;
    at += 1;
  }
  return -1;
}

function endOfHereString(source: string, line: number): number {
  for (let at = line; at >= 0; at = source.indexOf("\n", at + 1)) {
    if (SINGLE.test(source[at + 1] ?? "") && source[at + 2] === "@") return at + 3;
  }
  return -1;
}
