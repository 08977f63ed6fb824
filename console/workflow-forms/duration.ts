/** Units for a number of seconds. */
export const UNITS = [
  { unit: "seconds", seconds: 1 },
  { unit: "minutes", seconds: 60 },
  { unit: "hours", seconds: 3_600 },
  { unit: "days", seconds: 86_400 },
] as const;
export type Unit = (typeof UNITS)[number]["unit"];

/** A number of seconds in the largest unit in which it is a whole number. */
export function splitSeconds(seconds: number): { amount: number; unit: Unit } {
  const found = UNITS.findLast((one) => seconds >= one.seconds && seconds % one.seconds === 0) ?? UNITS[0];
  return { amount: seconds / found.seconds, unit: found.unit };
}

export function toSeconds(amount: number, unit: Unit): number {
  return amount * secondsOf(unit);
}

export function secondsOf(unit: Unit): number {
  return UNITS.find((one) => one.unit === unit)?.seconds ?? 1;
}

export function isUnit(text: string | null): text is Unit {
  return UNITS.some(({ unit }) => unit === text);
}
