import { Text, Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { serviceNow } from "../api/service-clock.ts";
import { ago, duration, exactTime } from "../strings/time.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const STEP_MS = 10 * SECOND_MS;

/** "3 minutes ago"; the exact time, with its zone, on hover and for screen readers. */
export function TimeAgo({ at, fallback = "never" }: { at: string | null | undefined; fallback?: string }) {
  const age = useAge(at ?? null);
  if (at === null || at === undefined) {
    return (
      <Text component="span" inherit c="dimmed">
        {fallback}
      </Text>
    );
  }
  return (
    <Tooltip label={exactTime(at)} withArrow>
      <time dateTime={at}>{ago(0, age)}</time>
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

/** How long ago this was, in whole steps of 10 s: a row is rendered when its text can differ, and no age is too small. */
function useAge(at: string | null): number {
  return useSyncExternalStore(at === null ? followNothing : follow, () =>
    at === null ? 0 : Math.trunc((serviceNow() - Date.parse(at)) / STEP_MS) * STEP_MS,
  );
}

/** The service's time in epoch ms, updated every `everyMs`; null: not updated. */
export function useNow(everyMs: number | null): number {
  return useSyncExternalStore(everyMs === null ? followNothing : follow, () =>
    floorTo(serviceNow(), everyMs ?? MINUTE_MS),
  );
}

function floorTo(ms: number, step: number): number {
  return Math.floor(ms / step) * step;
}
