import type { z } from "zod";
import type { exportAuditQuerySchema } from "../../../schema/contract/people.ts";
import type { AuditFilter } from "../../store/audit.ts";

type Query = Omit<z.output<typeof exportAuditQuerySchema>, "after">;

/** The filter of a query that was parsed. */
export function filterOf({ actor, verb, subjectType, subjectId, from, to }: Query): AuditFilter {
  const time = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return { actor, verb, subjectType, subjectId, from: time(from), to: time(to) };
}
