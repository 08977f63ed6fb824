import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { copyConsole } from "../build-console.ts";
import { bundleWorker } from "../bundle-worker.ts";
import type { DatabaseChoice } from "../database-choice.ts";
import { startExportServer } from "../export-directory/server.ts";
import { innermost, migrateDatabase } from "../migrate-database.ts";
import { startWorker } from "../worker-runtime.ts";
import { forgetChildren, recordChildren } from "./children.ts";
import { startDatabase } from "./database.ts";
import { openServiceLog } from "./service-log.ts";
import type { LocalSettings } from "./settings.ts";
import { workerSettings } from "./worker-settings.ts";

/** The service on this machine: a libSQL database, migrated, and the Worker in workerd with its minute tick. */
export interface LocalService {
  url: string;
  databaseUrl: string;
  /** What the database is, for people. */
  databaseName: string;
  /** The service's log. */
  logFile: string;
  /** The directory of agent releases. */
  downloadsDirectory: string;
  stop(): Promise<void>;
}

export interface LocalServiceOptions {
  stateDirectory: string;
  /** 0 takes a free port. */
  port: number;
  adminToken: string;
  settings: Pick<LocalSettings, "serverSecret" | "databaseToken" | "databaseKey">;
  /** Bellhop's own server when absent. */
  database?: DatabaseChoice;
}

export async function startService(options: LocalServiceOptions): Promise<LocalService> {
  const { stateDirectory, settings } = options;
  // The state's directory may already exist and be open to other users.
  for (const name of ["objects", "sockets"]) {
    await mkdir(join(stateDirectory, name), { recursive: true, mode: 0o700 });
  }
  const downloadsDirectory = join(stateDirectory, "downloads");
  await mkdir(downloadsDirectory, { recursive: true });
  const script = bundleWorker();
  const consoleDirectory = copyConsole(join(stateDirectory, "console"));
  const bindings = workerSettings(process.env);
  const log = openServiceLog({ stateDirectory, logLevel: bindings["LOG_LEVEL"] });
  const exportDirectory = bindings["RETENTION_EXPORT_DIRECTORY"]?.trim();
  const exportSocket = join(stateDirectory, "sockets/exports");
  const exports =
    exportDirectory === undefined
      ? null
      : await startExportServer({ directory: exportDirectory, socket: exportSocket });
  const { database: choice = { kind: "ours" } } = options;
  const database = await startDatabase({ choice, stateDirectory, settings, onLogLine: log.write });
  const { url: databaseUrl, authToken } = database;
  try {
    await migrateDatabase({ url: databaseUrl, authToken }).catch((error: unknown) => {
      const check = choice.kind === "elsewhere" ? " Check DATABASE_URL and DATABASE_AUTH_TOKEN." : "";
      throw new Error(`the database at ${databaseUrl} could not be migrated: ${innermost(error)}.${check}`, {
        cause: error,
      });
    });
    const worker = await startWorker({
      script: await script,
      persistTo: join(stateDirectory, "objects"),
      port: options.port,
      downloadsDirectory,
      consoleDirectory: await consoleDirectory,
      ...(exports === null ? {} : { exportSocket }),
      onLogLine: log.write,
      onSpawn: () => recordChildren(stateDirectory),
      onRestart: () =>
        console.error(`bellhop: the service's workerd ended unexpectedly and was started again; see ${log.file}.`),
      bindings: {
        LOG_LEVEL: "INFO",
        ...bindings,
        DATABASE_URL: databaseUrl,
        ...(authToken === undefined ? {} : { DATABASE_AUTH_TOKEN: authToken }),
        BELLHOP_SECRET: settings.serverSecret,
        BOOTSTRAP_ADMIN_TOKEN: options.adminToken,
      },
    });
    const stopTicking = tickEveryMinute(() => worker.tick());
    return {
      url: worker.url,
      databaseUrl,
      databaseName: database.name,
      logFile: log.file,
      downloadsDirectory,
      stop: async () => {
        stopTicking();
        await worker.stop();
        await Promise.all([database.stop(), exports?.stop()]);
        forgetChildren(stateDirectory);
      },
    };
  } catch (error) {
    await Promise.all([database.stop(), exports?.stop()]);
    throw error;
  }
}

/** Cron Triggers fire only at Cloudflare. This ticks at the start of every UTC minute. */
function tickEveryMinute(tick: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const schedule = () => {
    timer = setTimeout(
      () => {
        schedule();
        tick().catch((error: unknown) => console.error(`bellhop: the minute's tick failed: ${String(error)}`));
      },
      60_000 - (Date.now() % 60_000),
    );
  };
  schedule();
  return () => clearTimeout(timer);
}
