/** An instant in a time zone, with the zone's name: "Mon 23 Nov 2026, 09:00 GMT+1". */
export function zonedTime(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).format(new Date(at));
}
