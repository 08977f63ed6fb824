import type { z } from "zod";
import type { JsonObject } from "./json.ts";
import { isJsonObject } from "./json-object.ts";

interface Nesting {
  /** How many levels may be nested, the outermost one included. */
  readonly levels: number;
  /** The field that lists members; `isLevel` says which members are a further level. */
  readonly list: string;
  readonly isLevel: (member: JsonObject) => boolean;
  /** The member's field with the next list; by default the member itself. */
  readonly body?: string;
  readonly message: string;
}

/** The nesting limit of a recursive schema: reports each member that is a level too deep. */
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

/** Reported in addition to all other issues, not only without them. */
export const ALWAYS = { when: () => true };
