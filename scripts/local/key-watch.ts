import { isTaken } from "./own-agent.ts";

const LOOK_EVERY_MS = 10_000;

export interface KeyWatch {
  /** Asks the service once; never throws. */
  tick(): Promise<void>;
  stop(): void;
}

/**
 * Calls `onRefused` once when the service refuses an agent's key. An unreachable service proves nothing about the key.
 */
export function watchKey(options: { serviceUrl: string; apiKey: string; onRefused: () => void }): KeyWatch {
  const { serviceUrl, apiKey, onRefused } = options;
  let isDone = false;
  const stop = () => {
    isDone = true;
    clearInterval(timer);
  };
  const tick = async () => {
    const isRefused = !(await isTaken(serviceUrl, apiKey).catch(() => true));
    if (isDone || !isRefused) return;
    stop();
    onRefused();
  };
  const timer = setInterval(() => void tick(), LOOK_EVERY_MS);
  timer.unref();
  return { tick, stop };
}
