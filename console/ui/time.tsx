import { Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { serviceNow } from "../api/service-clock.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

// Never "tomorrow": 30 hours from now may be the day after tomorrow.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** "3 minutes ago"; the exact time, with its zone, on hover and for screen readers. */
export function TimeAgo({ at, fallback = "never" }: { at: string | null | undefined; fallback?: string }) {
  const now = useNow(10_000);
  if (at === null || at === undefined) {
    return (
      <Text component="span" inherit c="dimmed">
        {fallback}
      </Text>
    );
  }
  return (
    <Tooltip label={exactTime(at)} withArrow>
      <time dateTime={at}>{ago(Date.parse(at), now)}</time>
    </Tooltip>
  );
}

export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

/** A time relative to `now`, both in epoch ms: "in 5 minutes", "1 day ago". */
export function ago(at: number, now: number): string {
  const distance = at - now;
  const size = Math.abs(distance);
  if (size < 10_000) return "just now";
  if (size < MINUTE_MS) return relative.format(Math.round(distance / 1_000), "second");
  if (size < HOUR_MS) return relative.format(Math.round(distance / MINUTE_MS), "minute");
  if (size < DAY_MS) return relative.format(Math.round(distance / HOUR_MS), "hour");
  return relative.format(Math.round(distance / DAY_MS), "day");
}

/** How long something took: "0.42 s", "3 min 5 s", "2 h 4 min". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < MINUTE_MS) return `${Math.round(ms / 1_000)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.round((ms % MINUTE_MS) / 1_000)} s`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ${Math.round((ms % HOUR_MS) / MINUTE_MS)} min`;
  return `${Math.floor(ms / DAY_MS)} d ${Math.round((ms % DAY_MS) / HOUR_MS)} h`;
}

/** A duration that counts until `to` is known. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  const now = useNow(to === null ? 1_000 : null);
  return <>{duration((to === null ? now : Date.parse(to)) - Date.parse(from))}</>;
}

/** The service's current time in epoch ms, updated every `everyMs`; null does not update it. */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = setInterval(() => setNow(serviceNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
