const LOOK_EVERY_MS = 250;

/**
 * Ends this process when its parent is gone, or when its time is over: the statement holds up the main thread, so a
 * second one has to look. Windows does not tell of a parent that is gone; there the time limit remains. The worker is
 * made from a text, because an executable has no files for it.
 */
export async function startWatchdog(timeLimitMs: number): Promise<void> {
  const code = `
    const end = () => process.kill(process.pid, "SIGKILL");
    setInterval(() => process.ppid === ${process.ppid} || end(), ${LOOK_EVERY_MS});
    setTimeout(end, ${Math.ceil(timeLimitMs)});
    postMessage("ready");`;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(address);
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener("message", () => resolve(), { once: true });
    worker.addEventListener("error", () => reject(new Error("the watchdog did not start")), { once: true });
  });
}
