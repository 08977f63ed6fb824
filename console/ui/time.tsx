import { Text, Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { serviceNow } from "../api/service-clock.ts";
import { ago, duration, exactTime } from "../strings/time.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

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

/** For the facts about one thing: "3 minutes ago, 27 Nov 2026, 10:42:05 GMT+1". */
export function TimeInFull({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <TimeAgo at={at} />;
  return (
    <>
      <TimeAgo at={at} />, {exactTime(at)}
    </>
  );
}

/** A duration that counts until `to` is known. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  const now = useNow(to === null ? SECOND_MS : null);
  return <>{duration((to === null ? now : Date.parse(to)) - Date.parse(from))}</>;
}

/** All times of a page follow one timer. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function follow(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((each) => each()), SECOND_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const followNothing = () => () => {};

/** The service's time in epoch ms, updated every `everyMs`; null: not updated. */
export function useNow(everyMs: number | null): number {
  return useSyncExternalStore(everyMs === null ? followNothing : follow, () =>
    floorTo(serviceNow(), everyMs ?? MINUTE_MS),
  );
}

function floorTo(ms: number, step: number): number {
  return Math.floor(ms / step) * step;
}
