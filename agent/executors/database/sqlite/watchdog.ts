import { MEMORY_MARK } from "./messages.ts";

/** SQLite takes memory faster than it would be noticed by rarer looks. */
const LOOK_EVERY_MS = 25;
/** The agent shares its host with what it looks after. */
export const MEMORY_MAX_MB = 256;

/**
 * Ends this process when its parent is gone, when its time is over, or when it takes too much memory: the statement holds up the main thread, so a
 * second one has to look. Windows does not tell of a parent that is gone; there the time limit remains. The worker is
 * made from a text, because an executable has no files for it.
 */
export async function startWatchdog(timeLimitMs: number): Promise<void> {
  const code = `
    import { writeSync } from "node:fs";
    const end = () => process.kill(process.pid, "SIGKILL");
    setInterval(() => {
      if (process.ppid !== ${process.ppid}) end();
      if (process.memoryUsage.rss() < ${MEMORY_MAX_MB * 1_024 * 1_024}) return;
      writeSync(2, "${MEMORY_MARK}");
      end();
    }, ${LOOK_EVERY_MS});
    setTimeout(end, ${Math.ceil(timeLimitMs)});
    postMessage("ready");`;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(address);
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener("message", () => resolve(), { once: true });
    worker.addEventListener("error", () => reject(new Error("the watchdog did not start")), { once: true });
  });
}
