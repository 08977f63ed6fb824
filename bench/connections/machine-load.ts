import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

/** What other processes use meanwhile. */
export type MachineLoad = "cpu" | "cpu and disk";

const BURN = "for (;;);";
/** Writes a file of 64 MiB again and again, and waits for the disk after each MiB. */
const WRITE = `
  const { fsyncSync, openSync, writeSync } = require("node:fs");
  const file = openSync(String(process.pid), "w");
  const bytes = Buffer.alloc(1_024 * 1_024, 1);
  for (let n = 0; ; n += 1) {
    writeSync(file, bytes, 0, bytes.length, (n % 64) * bytes.length);
    fsyncSync(file);
  }`;

/** As many processes of each kind as the machine has cores. The disk is that of the services' state. */
export async function startMachineLoad(load: MachineLoad): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-load-"));
  const scripts = load === "cpu" ? [BURN] : [BURN, WRITE];
  const children = scripts.flatMap((script) =>
    Array.from({ length: availableParallelism() }, () =>
      Bun.spawn([process.execPath, "-e", script], { cwd: directory, stdio: ["ignore", "ignore", "ignore"] }),
    ),
  );
  const stop = () => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  // Also when the benchmark is interrupted.
  process.once("exit", stop);
  return async () => {
    stop();
    await Promise.all(children.map((child) => child.exited));
  };
}
