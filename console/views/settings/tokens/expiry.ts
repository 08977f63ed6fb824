const DAY_MS = 24 * 60 * 60_000;
const SOON_MS = 7 * DAY_MS;

/** How long a token is to hold: so many days, up to a day that somebody picks, or for ever. */
export const EXPIRY_CHOICES = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "day", label: "On a day" },
  { value: "never", label: "Never" },
] as const;
export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number]["value"];

/**
 * The moment that a choice means, seen from `now` (epoch ms); null for never. `day` is yyyy-mm-dd where the person is,
 * and holds to its end. Undefined when no day that is still to come was given.
 */
export function expiryOf(choice: ExpiryChoice, day: string, now: number): string | null | undefined {
  if (choice === "never") return null;
  if (choice !== "day") return new Date(now + Number(choice) * DAY_MS).toISOString();
  const end = /^\d{4}-\d{2}-\d{2}$/u.test(day) ? Date.parse(`${day}T23:59:59`) : Number.NaN;
  return end > now ? new Date(end).toISOString() : undefined;
}

/** What a token's end means now: it is over, near, or neither. */
export function expiryState(expiresAt: string | null, now: number): "expired" | "soon" | "holds" {
  if (expiresAt === null) return "holds";
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return "expired";
  return left < SOON_MS ? "soon" : "holds";
}
