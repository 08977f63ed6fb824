import type { Place } from "./place.ts";
import type { WordTemplate } from "./shell-word.ts";

/** How a value is referred to: a bare template brings its own quotes, so that it stays one word. */
export const REFERENCE_PLACES = {
  bare: { type: "reference", before: '"${', after: '}"' },
  double: { type: "reference", before: "${", after: "}" },
} as const satisfies Record<WordTemplate["quoting"], Place>;
