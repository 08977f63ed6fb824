/** The five fields in the order in which they are written (specification, "Cron syntax"). 0 is Sunday. */
export const CRON_FIELDS = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12 },
  { name: "day of week", min: 0, max: 6 },
] as const satisfies readonly CronField[];

export interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

export const isDayOfWeek = (field: CronField): boolean => field.name === "day of week";

/** Every value of a field, in order; or every `step`th from the smallest on. */
export function fieldValues({ min, max }: CronField, step = 1): number[] {
  return valuesBetween(min, max, step);
}

export function valuesBetween(first: number, last: number, step = 1): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

/** Values in the shortest of the four forms that says them: `*`, `*\/N`, `N-M` or `N,M,O`. They come sorted, each once. */
export function writeField(values: readonly number[], field: CronField): string {
  // Of one or two values a list says more than a step.
  for (let step = 1; step <= field.max && values.length > 2; step += 1) {
    if (isSame(values, fieldValues(field, step))) return step === 1 ? "*" : `*/${step}`;
  }
  const [first = field.min] = values;
  const last = values.at(-1) ?? first;
  const isRange = values.length > 2 && last - first + 1 === values.length;
  return isRange ? `${first}-${last}` : values.join(",");
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
