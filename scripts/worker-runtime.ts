import { join } from "node:path";
import { Miniflare } from "miniflare";
import type { WorkerOptions } from "miniflare";
import { z } from "zod";
import { ROOT } from "./paths.ts";

/**
 * The Worker in workerd, bound as in wrangler.toml, without a proxy before it. `npm start`, the demo, the tests and the
 * benchmarks use it, so that all of them run the deployed code.
 */
export interface WorkerRuntime {
  /** `http://127.0.0.1:<port>` */
  url: string;
  miniflare: Miniflare;
  /** Does the work of the Cron Trigger in production. */
  tick(scheduledTime?: Date): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkerRuntimeOptions {
  script: string;
  /** The storage directory of the Durable Objects. */
  persistTo: string;
  /** 0 or absent takes a free port. */
  port?: number;
  bindings: Record<string, string>;
  /** The directory of published agent releases; without one, an empty stand-in for R2. */
  downloadsDirectory?: string;
  /** The directory of the console's files (`copyConsole`); without one, there is no console. */
  consoleDirectory?: string;
  /** The absolute path of the socket that takes exported records (scripts/export-directory/server.ts). */
  exportSocket?: string;
  /** PEM; trusted for outgoing connections, in addition to the usual authorities. */
  trustedCertificates?: string[];
  /** Takes each line of the Worker's log; without it the lines go to this process's output. */
  onLogLine?: (line: string) => void;
  /** With `onLogLine`: called when a workerd process has been started, the first one and each replacement. */
  onSpawn?: () => void;
  /** workerd has ended unexpectedly, and another process replaces it on the same storage. */
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
      // Not with Miniflare's own `scheduled`, which blocks this process's one thread until the answer arrives. workerd
      // stops when no one reads its log in the meantime.
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
  // Called right after the process was made; `handleStructuredLogs` still gets its output.
  return { handleStructuredLogs, ...(onSpawn === undefined ? {} : { handleRuntimeStdio: () => onSpawn() }) };
}

/** Miniflare ends the process on a signal, before an orderly shutdown. The caller stops Miniflare instead. */
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
 * benchmarks measure against their own baseline.
 */
export async function workerOptions(
  options: Pick<
    WorkerRuntimeOptions,
    "script" | "bindings" | "port" | "trustedCertificates" | "downloadsDirectory" | "consoleDirectory" | "exportSocket"
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
    // On a person's own machine a line for each change would bury the other output.
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
      ...(options.exportSocket === undefined
        ? {}
        : { EXPORT_DIRECTORY: { external: { address: `unix:${options.exportSocket}`, http: {} } } }),
    },
    ...(options.trustedCertificates === undefined
      ? {}
      : { outboundService: networkTrusting(options.trustedCertificates) }),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: options.port ?? 0 }],
  };
}

/** A directory as a read-only service. */
function diskBinding(name: string, path: string | undefined) {
  return path === undefined ? {} : { [name]: { disk: { path, writable: false } } };
}

/** Miniflare's own network, with other certificates. */
function networkTrusting(trustedCertificates: string[]) {
  return { network: { allow: ["public", "private"], tlsOptions: { trustBrowserCas: true, trustedCertificates } } };
}
