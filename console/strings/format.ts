import { LOCALE } from "./locale.ts";

const whole = new Intl.NumberFormat(LOCALE);
const plural = new Intl.PluralRules(LOCALE);
const place = new Intl.PluralRules(LOCALE, { type: "ordinal" });
const PLACE_ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };
const conjunction = new Intl.ListFormat(LOCALE);
const KIB = 1_024;

/** "12,000" */
export function number(value: number): string {
  return whole.format(value);
}

/** "12", or "12+" when there may be more. */
export function atLeast(value: number, isMore: boolean): string {
  return `${number(value)}${isMore ? "+" : ""}`;
}

/** "1 job", "12,000 jobs"; with `many`, "2 entries". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${plural.select(value) === "one" ? one : many}`;
}

/** "1st", "22nd" */
export function ordinal(value: number): string {
  return `${number(value)}${PLACE_ENDINGS[place.select(value)] ?? "th"}`;
}

/** "a", "a and b", "a, b and c" */
export function list(items: readonly (string | number)[]): string {
  return conjunction.format(items.map(String));
}

/** As `list`; of a long list the first few: "a, b and 12 more" */
export function someOf(items: readonly string[], shown = 5): string {
  if (items.length <= shown) return list(items);
  return conjunction.format([...items.slice(0, shown), `${number(items.length - shown)} more`]);
}

/** "1 byte", "512 bytes", "3 KiB", "1.5 MiB", "2.4 GiB". */
export function size(bytes: number): string {
  if (bytes < KIB) return count(bytes, "byte");
  if (bytes < KIB * KIB) return `${number(Math.round(bytes / KIB))} KiB`;
  const [unit, of] = bytes < KIB ** 3 ? ["MiB", KIB ** 2] : ["GiB", KIB ** 3];
  return `${number(Math.round((bytes / of) * 10) / 10)} ${unit}`;
}
