import { exactTime } from "../../ui/time.tsx";

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/gu;

/** Why something waits, as a sentence; the service gives a sentence or what "waits for" is followed by. */
export function waitsFor(reason: string): string {
  const readable = reason
    .replaceAll(INSTANT, (at) => exactTime(at))
    .replace(/^the execution \S+ to end$/u, "its sub-workflow to end");
  return /^[A-Z]/u.test(readable) ? `Waits: ${readable}` : `Waits for ${readable}.`;
}
