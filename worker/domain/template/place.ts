/** Stands for one template in the source that a language's rules read. No script can hold it: no shell carries a NUL. */
export const TEMPLATE_MARK = "\0";

/** Where a template stands in code, and so how its value gets there. */
export type Place =
  /** The name of its variable goes between the two texts. */
  | { readonly type: "reference"; readonly before: string; readonly after: string }
  /** The value itself goes into the text, and must be plain (cmd.exe). */
  | { readonly type: "plain"; readonly quoted: boolean }
  /** Nothing runs a comment: the template stays as it was written. */
  | { readonly type: "comment" }
  | { readonly type: "refused"; readonly reason: string };

/** The place of each template of a source, in order; and what else must be written into the source, by position. */
export interface Located {
  readonly places: readonly Place[];
  readonly inserts: readonly { readonly at: number; readonly text: string }[];
}

export function refused(reason: string): Place {
  return { type: "refused", reason };
}

export function refuseAll(count: number, reason: string): Located {
  return { places: Array.from({ length: count }, () => refused(reason)), inserts: [] };
}

/** Thrown inside a language's rules: from here on they do not know what stands where. Caught in the same module. */
export class Unclear extends Error {
  readonly at: number;
  constructor(what: string, at: number) {
    super(what);
    this.name = "Unclear";
    this.at = at;
  }
}

/** The line of a position, counted from 1. */
export function lineAt(source: string, at: number): number {
  return source.slice(0, at).split("\n").length;
}
