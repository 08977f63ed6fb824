import type { ParsedTemplate, Template } from "./parse.ts";

/** Stands for one template in the text that a language's rules read. No interpreter takes a NUL, so no code has one. */
export const MARK = "\0";

/** The text with a mark in the place of each template. */
export function marked({ segments }: ParsedTemplate): string {
  return segments.map((segment) => (segment.type === "text" ? segment.text : MARK)).join("");
}

/** A template with what is right before and behind its mark: a character, or nothing at an end of the text. */
export interface Place {
  readonly template: Template;
  readonly at: number;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

export function placesOf(source: string, templates: readonly Template[]): Place[] {
  let at = -1;
  let line = 1;
  return templates.map((template) => {
    const from = at + 1;
    at = source.indexOf(MARK, from);
    for (let next = source.indexOf("\n", from); next >= 0 && next < at; next = source.indexOf("\n", next + 1))
      line += 1;
    return { template, at, line, before: source[at - 1] ?? "", after: source[at + 1] ?? "" };
  });
}
