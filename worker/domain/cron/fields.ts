/** The five fields in their written order (docs/design/workflows.md#cron-expressions). 0 is Sunday. */
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

/** Every value of a field in order, or every `step`th from the smallest on. */
export function fieldValues({ min, max }: CronField, step = 1): number[] {
  return valuesBetween(min, max, step);
}

export function valuesBetween(first: number, last: number, step = 1): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}
