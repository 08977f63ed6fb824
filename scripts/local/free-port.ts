import { Refused } from "../service/refused.ts";

const LOOK_EVERY_MS = 50;
const LONG_MS = 2_000;

/**
 * Whether a port of 127.0.0.1 is free, at the latest after `waitMs`: the kernel closes the sockets of a large ended
 * process a moment later. `onLong` is called once when the wait takes more than `longMs`. Throws Refused for a port
 * that this account may not listen on.
 */
export async function isPortFree(
  port: number,
  waitMs: number,
  onLong: () => void = () => {},
  longMs = LONG_MS,
): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  const long = setTimeout(onLong, longMs);
  let isFree = canListen(port);
  while (!isFree && performance.now() < deadline) {
    await Bun.sleep(LOOK_EVERY_MS);
    isFree = canListen(port);
  }
  clearTimeout(long);
  return isFree;
}

/** A port of 127.0.0.1 that was free a moment ago, for a program that cannot choose one. */
export function anyFreePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  listener.stop(true);
  return listener.port;
}

function canListen(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EACCES") {
      throw new Refused(
        `this account may not listen on port ${port} of 127.0.0.1. Choose one from 1024: PORT=8787 npm start.`,
      );
    }
    return false;
  }
}
