import { z } from "zod";

const problemSchema = z.object({ code: z.string() });

/** The code of a refusal, for counting. */
export function codeIn(answer: unknown): string {
  return problemSchema.safeParse(answer).data?.code ?? "";
}

/** Why a request failed, short enough for counting. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : `${error.message}`;
}

/** Adds to counts by reason. */
export function addCounts(to: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [reason, count] of Object.entries(counts)) to[reason] = (to[reason] ?? 0) + count;
}
