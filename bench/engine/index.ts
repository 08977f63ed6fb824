import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureScale } from "./scale.ts";
import type { Scale } from "./scale.ts";
import { startEngineService } from "./service.ts";
import { measureStepTime } from "./step-time.ts";
import type { StepTime } from "./step-time.ts";
import { measureThroughput } from "./throughput.ts";
import type { Throughput } from "./throughput.ts";
import { BY_HAND, measureTraffic } from "./traffic.ts";
import type { ExecutionTraffic } from "./traffic.ts";

/**
 * The cost of an execution: end to end compared with a floor in the same run, in requests to libSQL, in the engine's
 * pure step, and with many stored executions compared with few.
 */
export interface EngineBench {
  throughput: Throughput[];
  traffic: ExecutionTraffic[];
  stepTime: StepTime[];
  scale: Scale;
}

export const STORED_ROWS = 1_000_000;
const INTERRUPTS = ["SIGINT", "SIGTERM"] as const;

/**
 * `rows`: the number of stored executions in the large database; `progress` is called with a description of each
 * measurement.
 */
export async function benchEngine(rows: number, progress: (what: string) => void): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  // Also when the benchmark is interrupted: the directory may hold gigabytes.
  process.once("exit", remove);
  for (const signal of INTERRUPTS) process.once(signal, interrupted);
  try {
    progress("the pure step");
    const stepTime = measureStepTime();
    const { traffic, throughput } = await benchExecutions(directory, progress);
    progress(`stored executions: filling in ${rows}`);
    const scale = await measureScale(directory, rows, Date.now());
    return { throughput, traffic, stepTime, scale };
  } finally {
    remove();
    process.removeListener("exit", remove);
    for (const signal of INTERRUPTS) process.removeListener(signal, interrupted);
  }
}

async function benchExecutions(directory: string, progress: (what: string) => void) {
  const service = await startEngineService(directory, {
    plain: { file: join(directory, "plain.db") },
    counted: { file: join(directory, "counted.db"), counted: true },
  });
  try {
    progress("requests to libSQL");
    const traffic = await measureTraffic(service.workers.counted);
    progress("executions end to end");
    const byHand = traffic.find(({ kind }) => kind === BY_HAND);
    if (byHand === undefined) throw new Error("executions started by hand were not counted");
    const batches = Math.round(byHand.perExecution.writeBatches);
    return { traffic, throughput: await measureThroughput(service.workers.plain, batches) };
  } finally {
    await service.stop();
  }
}

function interrupted(): void {
  process.exit(1);
}
