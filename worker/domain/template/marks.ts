import type { ParsedTemplate, Template } from "./parse.ts";

/** Replaces one template in the text that a language's rules read. No interpreter accepts a NUL, so code has none. */
export const MARK = "\0";

/** The text with a mark in place of each template. */
export function marked({ segments }: ParsedTemplate): string {
  return segments.map((segment) => (segment.type === "text" ? segment.text : MARK)).join("");
}

/** The positions of the marks. Use it instead of `indexOf` in a loop, which V8 would hoist and run every time. */
export function marksIn(source: string): number[] {
  const marks: number[] = [];
  for (let at = source.indexOf(MARK); at >= 0; at = source.indexOf(MARK, at + 1)) marks.push(at);
  return marks;
}

/** A template with its line, and the characters directly before and after its mark. */
export interface Place {
  readonly template: Template;
  readonly at: number;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

export function placesOf(source: string, templates: readonly Template[]): Place[] {
  const marks = marksIn(source);
  let line = 1;
  return templates.map((template, index) => {
    const at = marks[index] ?? -1;
    line += source.slice(marks[index - 1] ?? 0, at).split("\n").length - 1;
    return { template, at, line, before: source[at - 1] ?? "", after: source[at + 1] ?? "" };
  });
}

/** A piece of code, such as a string: its end (-1 without one), and the reason why it may not contain a template. */
export interface Token {
  readonly end: number;
  readonly reason: string | null;
}

/** What holds a mark: the reason of its token, and whether the token is a string of nothing but the mark. */
export interface Holder {
  readonly reason: string | null;
  readonly isWholeString: boolean;
}

/** The holder of each mark, read token by token; with the reason `unclear` for all of them when a token has no end. */
export function holdersOf(source: string, unclear: string, tokenAt: (at: number) => Token): Holder[] {
  const holders: Holder[] = [];
  const marks = marksIn(source);
  for (let at = 0; at < source.length;) {
    const { end, reason } = tokenAt(at);
    if (end < 0) return marks.map(() => ({ reason: unclear, isWholeString: false }));
    for (let mark = marks[holders.length]; mark !== undefined && mark < end; mark = marks[holders.length]) {
      holders.push({ reason, isWholeString: mark === at + 1 && end === mark + 2 });
    }
    at = end;
  }
  return holders;
}

/** The position after the next `text`; -1 without one. */
export function behind(source: string, text: string, from: number): number {
  const found = source.indexOf(text, from);
  return found < 0 ? -1 : found + text.length;
}

export function lineEnd(source: string, from: number): number {
  const found = source.indexOf("\n", from);
  return found < 0 ? source.length : found;
}

/** The position after the characters that a sticky pattern matches. */
export function skip(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(source)?.[0].length ?? 0);
}
