import type { WordTemplate } from "./shell-word.ts";

/** A word while it is being read; the fields are those of `Word`. */
export interface Draft {
  literal: string | null;
  residue: string;
  prefix: string | null;
  readonly templates: WordTemplate[];
  elements: readonly string[] | null;
}

export function newDraft(): Draft {
  return { literal: "", residue: "", prefix: null, templates: [], elements: null };
}

export function append(word: Draft, text: string): void {
  word.residue += text;
  if (word.literal !== null) word.literal += text;
}

/** From here on only what runs knows the word. */
export function expand(word: Draft): void {
  word.literal = null;
  word.prefix ??= word.residue;
}
