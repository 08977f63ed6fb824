/** A time in a message for people (epoch ms): `2026-11-29 08:15 UTC`, with seconds when there are any. */
export function shownTime(at: number): string {
  const [day, clock = ""] = new Date(at).toISOString().split("T");
  return `${day} ${clock.slice(0, clock.slice(6, 8) === "00" ? 5 : 8)} UTC`;
}
