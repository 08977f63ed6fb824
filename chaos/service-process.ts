import { createInterface } from "node:readline";
import { z } from "zod";
import { startWorker } from "../scripts/worker-runtime.ts";
import { OBJECT_BINDINGS } from "./schedule.ts";
import type { ObjectBinding } from "./schedule.ts";
import type { WorkerRuntime } from "../scripts/worker-runtime.ts";

/** The settings of the service's process: its first line on standard input, as JSON. Orders follow, one line each. */
export const serviceSettingsSchema = z.object({
  scriptFile: z.string(),
  persistTo: z.string(),
  /** 0 takes a free port. */
  port: z.int(),
  bindings: z.record(z.string(), z.string()),
  /** The interval of the Cron Trigger's work; a minute in production. */
  tickEveryMs: z.number(),
});
export type ServiceSettings = z.infer<typeof serviceSettingsSchema>;

/**
 * Objects of a class that lose their memory, as when the platform moves them: all of them for a `share` of 1, otherwise
 * every second one.
 */
export const evictOrderSchema = z.object({ evict: z.enum(OBJECT_BINDINGS), share: z.number() });

const CLASS_NAMES = {
  GATE: "WebhookGate",
  WORKFLOW_RUNS: "WorkflowRuns",
  DISPATCHER: "Dispatcher",
  SERVICE_CONTROL: "ServiceControl",
  ALERTER: "Alerter",
} as const satisfies Record<ObjectBinding, string>;

/** The service in a process group that can be killed: workerd, and the clock that ticks it. */
async function main(): Promise<void> {
  let worker: WorkerRuntime | null = null;
  for await (const line of createInterface({ input: process.stdin })) {
    const said: unknown = JSON.parse(line);
    if (worker === null) worker = await start(serviceSettingsSchema.parse(said));
    else await evict(worker, evictOrderSchema.parse(said)).catch(note("evicting failed"));
  }
  // The parent process has ended.
  await worker?.stop();
  process.exit(1);
}

async function start(settings: ServiceSettings): Promise<WorkerRuntime> {
  const { scriptFile, persistTo, port, bindings, tickEveryMs } = settings;
  const worker = await startWorker({ script: await Bun.file(scriptFile).text(), persistTo, port, bindings });
  process.once("SIGTERM", () => {
    clearInterval(ticking);
    void worker.stop().finally(() => process.exit(0));
  });
  const ticking = setInterval(() => void worker.tick().catch(note("a tick failed")), tickEveryMs);
  console.log(`serving on ${worker.url}`);
  return worker;
}

async function evict({ miniflare }: WorkerRuntime, order: z.infer<typeof evictOrderSchema>): Promise<void> {
  const ids = await miniflare.listDurableObjectIds(order.evict);
  const chosen = ids.filter((_id, index) => order.share >= 1 || index % 2 === 0);
  for (const id of chosen) await miniflare.unsafeEvictDurableObject("", CLASS_NAMES[order.evict], { id });
  console.log(`evicted ${chosen.length} of ${ids.length} ${order.evict} objects`);
}

function note(what: string): (error: unknown) => void {
  return (error) => console.error(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}

await main();
