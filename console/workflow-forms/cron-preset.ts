/** A common kind of schedule. `own` is any other expression. */
export type CronPreset =
  | { readonly kind: "minutes"; readonly every: number }
  | { readonly kind: "hourly"; readonly minute: number }
  | { readonly kind: "daily" | "weekdays"; readonly hour: number; readonly minute: number }
  | { readonly kind: "weekly"; readonly day: number; readonly hour: number; readonly minute: number }
  | { readonly kind: "monthly"; readonly day: number; readonly hour: number; readonly minute: number }
  | { readonly kind: "own" };
export type CronPresetKind = CronPreset["kind"];

/** Steps that divide an hour: with any other, the last step of each hour is shorter. */
export const EVEN_MINUTES = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

export function expressionOf(preset: Exclude<CronPreset, { kind: "own" }>): string {
  switch (preset.kind) {
    case "minutes":
      return preset.every === 1 ? "* * * * *" : `*/${preset.every} * * * *`;
    case "hourly":
      return `${preset.minute} * * * *`;
    case "daily":
      return `${preset.minute} ${preset.hour} * * *`;
    case "weekdays":
      return `${preset.minute} ${preset.hour} * * 1-5`;
    case "weekly":
      return `${preset.minute} ${preset.hour} * * ${preset.day}`;
    case "monthly":
      return `${preset.minute} ${preset.hour} ${preset.day} * *`;
  }
}

/** The preset of an expression. */
export function presetOf(expression: string): CronPreset {
  const [minutes = "", hours = "", days = "", months = "", weekdays = "", ...more] = expression.trim().split(/[ \t]+/u);
  const own: CronPreset = { kind: "own" };
  if (more.length > 0 || months !== "*") return own;
  if (hours === "*" && days === "*" && weekdays === "*") {
    const every = minutes === "*" ? 1 : Number(/^\*\/(\d{1,2})$/u.exec(minutes)?.[1] ?? Number.NaN);
    if (EVEN_MINUTES.includes(every)) return { kind: "minutes", every };
    const minute = numberIn(minutes, 0, 59);
    return minute === null ? own : { kind: "hourly", minute };
  }
  const minute = numberIn(minutes, 0, 59);
  const hour = numberIn(hours, 0, 23);
  if (minute === null || hour === null) return own;
  if (days === "*" && weekdays === "*") return { kind: "daily", hour, minute };
  if (days === "*" && weekdays === "1-5") return { kind: "weekdays", hour, minute };
  const weekday = numberIn(weekdays, 0, 6);
  if (days === "*" && weekday !== null) return { kind: "weekly", day: weekday, hour, minute };
  const day = numberIn(days, 1, 31);
  return weekdays === "*" && day !== null ? { kind: "monthly", day, hour, minute } : own;
}

/** Another kind of schedule. It keeps the time of day where both kinds have one. */
export function changeKind(
  from: CronPreset,
  kind: Exclude<CronPresetKind, "own">,
): Exclude<CronPreset, { kind: "own" }> {
  const hour = "hour" in from ? from.hour : 9;
  const minute = "minute" in from ? from.minute : 0;
  switch (kind) {
    case "minutes":
      return { kind, every: 5 };
    case "hourly":
      return { kind, minute };
    case "daily":
    case "weekdays":
      return { kind, hour, minute };
    case "weekly":
    case "monthly":
      return { kind, day: 1, hour, minute };
  }
}

function numberIn(text: string, min: number, max: number): number | null {
  if (!/^\d{1,2}$/u.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}
