import type { Place } from "./place.ts";
import type { ShellState } from "./shell-state.ts";
import type { Word, WordTemplate } from "./shell-word.ts";

/** How a value is referred to: a bare template brings its own quotes, so that it stays one word. */
export const REFERENCE_PLACES = {
  bare: { type: "reference", before: '"${', after: '}"' },
  double: { type: "reference", before: "${", after: "}" },
} as const satisfies Record<WordTemplate["quoting"], Place>;

/** Words that the shell only passes on or compares. */
export function acceptWords(state: ShellState, words: readonly Word[]): void {
  for (const { index, quoting } of words.flatMap((word) => word.templates)) {
    state.places.set(index, REFERENCE_PLACES[quoting]);
  }
}
