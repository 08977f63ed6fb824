/** A broken promise of a run. */
export interface Violation {
  check: string;
  /** For a person: the finding, with every id for a further search. */
  detail: string;
  executionId: string | null;
}

export function violation(check: string, detail: string, executionId: string | null = null): Violation {
  return { check, detail, executionId };
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** A time in epoch milliseconds as text. */
export function time(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString() : "the end";
}
