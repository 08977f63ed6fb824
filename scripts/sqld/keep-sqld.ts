import { setTimeout as sleep } from "node:timers/promises";
import { type Sqld, type SqldOptions, startSqld } from "./start-sqld.ts";

const RETRY_MS = 1_000;

export interface KeptSqld {
  url: string;
  /** The process that runs now. */
  pid(): number;
  stop(): Promise<void>;
}

/**
 * Starts sqld, and starts it again on the same files and port when it ends unexpectedly. `say` gets a line then, and
 * `onSpawn` is called after each start. Rejects when the first start fails; a later one is tried again every second.
 */
export async function keepSqld(
  options: SqldOptions,
  { say, onSpawn }: { say: (line: string) => void; onSpawn: () => void },
): Promise<KeptSqld> {
  let running = await startSqld(options);
  onSpawn();
  const stopping = new AbortController();
  const { signal } = stopping;

  const startAgain = async (): Promise<Sqld | null> => {
    while (!signal.aborted) {
      try {
        return await startSqld(options);
      } catch (error) {
        say(`${error instanceof Error ? error.message : String(error)}; it is tried again every second.`);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
    return null;
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const code = await running.exited;
      if (signal.aborted) return;
      say(`the database (sqld) ended unexpectedly with code ${code}, and is started again.`);
      const next = await startAgain();
      if (next === null) return;
      if (signal.aborted) return next.stop();
      running = next;
      onSpawn();
    }
  };
  const watched = watch();
  return {
    url: running.url,
    pid: () => running.pid,
    stop: async () => {
      stopping.abort();
      await running.stop();
      await watched;
    },
  };
}
