const DAY_MS = 24 * 60 * 60_000;
const SOON_MS = 7 * DAY_MS;

/** The choices for a token's expiry. */
export const EXPIRY_CHOICES = ["30", "90", "365", "day", "never"] as const;
export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number];

/**
 * The instant of a choice, counted from `now` (epoch ms); null for never. `day` is yyyy-mm-dd in local time, and the
 * token is valid until its end. Undefined when the day is missing or in the past.
 */
export function expiryOf(choice: ExpiryChoice, day: string, now: number): string | null | undefined {
  if (choice === "never") return null;
  if (choice !== "day") return new Date(now + Number(choice) * DAY_MS).toISOString();
  const end = /^\d{4}-\d{2}-\d{2}$/u.test(day) ? Date.parse(`${day}T23:59:59`) : Number.NaN;
  return end > now ? new Date(end).toISOString() : undefined;
}

/** Whether a token has expired, expires soon, or is valid for longer. */
export function expiryState(expiresAt: string | null, now: number): "expired" | "soon" | "valid" {
  if (expiresAt === null) return "valid";
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return "expired";
  return left < SOON_MS ? "soon" : "valid";
}
