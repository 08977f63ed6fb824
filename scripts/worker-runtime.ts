import { join } from "node:path";
import { Miniflare } from "miniflare";
import type { WorkerOptions } from "miniflare";
import { z } from "zod";
import { ROOT } from "./paths.ts";

/**
 * The Worker in workerd, as wrangler.toml binds it, without a proxy before it. Used by `npm start`, the demo, the
 * tests and the benchmarks, so that all of them run what is deployed.
 */
export interface WorkerRuntime {
  /** `http://127.0.0.1:<port>` */
  url: string;
  miniflare: Miniflare;
  /** What the Cron Trigger does in production. */
  tick(scheduledTime?: Date): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkerRuntimeOptions {
  script: string;
  /** Where Durable Objects keep their storage. */
  persistTo: string;
  /** 0 or absent takes a free port. */
  port?: number;
  bindings: Record<string, string>;
  /** Where published releases of the agent lie; without one, in R2's stand-in, which begins empty. */
  downloadsDirectory?: string;
  /** Where the console's files lie (`buildConsole`); without one, there is no console. */
  consoleDirectory?: string;
  /** PEM; trusted for outgoing connections beside the usual authorities. */
  trustedCertificates?: string[];
  /** Takes each line that the Worker logs; without it they go to this process's output. */
  onLogLine?: (line: string) => void;
  /** With `onLogLine`: called as soon as a process of workerd is there, the first one and each that takes its place. */
  onSpawn?: () => void;
  /** workerd has ended by itself, and another has taken its place on the same storage. */
  onRestart?: () => void;
}

const wranglerConfigSchema = z.object({
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })),
});

export async function startWorker(options: WorkerRuntimeOptions): Promise<WorkerRuntime> {
  const workers = await workerOptions(options);
  const miniflare = withoutSignalHandlers(
    () =>
      new Miniflare({
        host: "127.0.0.1",
        port: 0,
        durableObjectsPersist: options.persistTo,
        unsafeTriggerHandlers: true,
        ...logOptions(options),
        ...(options.onRestart === undefined ? {} : { unsafeHandleRuntimeRestart: options.onRestart }),
        ...workers,
      }),
  );
  await miniflare.ready;
  const direct = await miniflare.unsafeGetDirectURL();
  return {
    url: direct.origin,
    miniflare,
    tick: async (scheduledTime = new Date()) => {
      // Not by Miniflare's own `scheduled`: it stops this process's one thread until the answer is there, and workerd stops
      // when nobody reads what it logs meanwhile.
      const query = new URLSearchParams({ cron: "* * * * *", time: String(scheduledTime.getTime()) });
      const answer = await miniflare.dispatchFetch(`http://worker/cdn-cgi/handler/scheduled?${query}`);
      const outcome = await answer.text();
      if (!answer.ok) throw new Error(`the minute's tick failed: ${outcome}`);
    },
    stop: () => miniflare.dispose(),
  };
}

function logOptions({ onLogLine, onSpawn }: WorkerRuntimeOptions) {
  if (onLogLine === undefined) return {};
  const handleStructuredLogs = ({ message }: { message: string }) => onLogLine(message);
  // Called right after the process was made; its output is read for `handleStructuredLogs` all the same.
  return { handleStructuredLogs, ...(onSpawn === undefined ? {} : { handleRuntimeStdio: () => onSpawn() }) };
}

/** Miniflare ends the process on a signal, before anybody else could stop in order; whoever starts it stops it here. */
function withoutSignalHandlers<T>(create: () => T): T {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => new Set(process.listeners(signal)));
  const created = create();
  signals.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.has(listener) === false) process.removeListener(signal, listener);
    }
  });
  return created;
}

/**
 * One Worker's share of Miniflare's options. `classNames` puts another class behind a binding and adds bindings:
 * benchmarks measure with a floor of their own.
 */
export async function workerOptions(
  options: Pick<
    WorkerRuntimeOptions,
    "script" | "bindings" | "port" | "trustedCertificates" | "downloadsDirectory" | "consoleDirectory"
  > & {
    classNames?: Record<string, string>;
  },
): Promise<WorkerOptions & { modules: { type: "ESModule"; path: string; contents: string }[] }> {
  const config = wranglerConfigSchema.parse(Bun.TOML.parse(await Bun.file(join(ROOT, "wrangler.toml")).text()));
  const declared = config.durable_objects.bindings.map((binding) => [binding.name, binding.class_name] as const);
  const classNames = { ...Object.fromEntries(declared), ...options.classNames };
  return {
    modules: [{ type: "ESModule", path: "index.mjs", contents: options.script }],
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    // On somebody's own machine a line for each change would bury what else is said there.
    bindings: { LOG_LEVEL: "WARNING", ...options.bindings },
    durableObjects: Object.fromEntries(
      Object.entries(classNames).map(([name, className]) => [name, { className, useSQLite: true }]),
    ),
    ...(options.downloadsDirectory === undefined
      ? { r2Buckets: Object.fromEntries(config.r2_buckets.map((bucket) => [bucket.binding, bucket.bucket_name])) }
      : {}),
    serviceBindings: {
      ...diskBinding("DOWNLOADS_DISK", options.downloadsDirectory),
      ...diskBinding("CONSOLE", options.consoleDirectory),
    },
    ...(options.trustedCertificates === undefined
      ? {}
      : { outboundService: networkTrusting(options.trustedCertificates) }),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: options.port ?? 0 }],
  };
}

/** A directory as a service, to be read. */
function diskBinding(name: string, path: string | undefined) {
  return path === undefined ? {} : { [name]: { disk: { path, writable: false } } };
}

/** Miniflare's own network, with other certificates. */
function networkTrusting(trustedCertificates: string[]) {
  return { network: { allow: ["public", "private"], tlsOptions: { trustBrowserCas: true, trustedCertificates } } };
}
