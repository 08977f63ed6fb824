import type { z } from "zod";
import type { JsonObject } from "./json.ts";
import { isJsonObject } from "./json-object.ts";

interface Nesting {
  /** How many values may lie in each other, the outermost one counted. */
  readonly levels: number;
  /** The field that lists members, and which of them are a level more. */
  readonly list: string;
  readonly isLevel: (member: JsonObject) => boolean;
  /** The member's field that has a list again; the member itself without one. */
  readonly body?: string;
  readonly message: string;
}

/** The limit of a schema that contains itself: names each member that is a level too deep. */
export function nestsAtMost({ levels, list, isLevel, body, message }: Nesting) {
  const tooDeep = (value: unknown, left: number, path: readonly PropertyKey[]): PropertyKey[][] => {
    const members = isJsonObject(value) ? value[list] : undefined;
    if (!Array.isArray(members)) return [];
    return members.flatMap((member, index) => {
      if (!isJsonObject(member) || !isLevel(member)) return [];
      const at = [...path, list, index];
      if (left <= 1) return [at];
      return body === undefined ? tooDeep(member, left - 1, at) : tooDeep(member[body], left - 1, [...at, body]);
    });
  };
  return (value: unknown, context: z.RefinementCtx) => {
    for (const path of tooDeep(value, levels, [])) context.addIssue({ code: "custom", path, message });
  };
}

/** Beside all other issues, not only when there are none. */
export const ALWAYS = { when: () => true };
