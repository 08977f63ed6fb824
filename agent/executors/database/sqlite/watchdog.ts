import { MEMORY_MARK } from "./messages.ts";

/** SQLite can allocate memory too fast for a longer interval. */
const LOOK_EVERY_MS = 25;
/** Small, because the agent shares its host with the systems that it manages. */
export const MEMORY_MAX_MB = 256;

/**
 * Ends this process when its parent is gone, its time is over, or it uses too much memory. It runs in a second thread,
 * because the statement blocks the main thread. Windows does not report a missing parent; there only the time limit
 * applies. The worker is made from a text, because an executable has no files for it.
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
