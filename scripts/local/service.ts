import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { copyConsole } from "../build-console.ts";
import { bundleWorker } from "../bundle-worker.ts";
import { startLibsqlServer } from "../libsql-server/server.ts";
import { migrateDatabase } from "../migrate-database.ts";
import { startWorker } from "../worker-runtime.ts";
import { forgetChildren, recordChildren } from "./children.ts";
import { openServiceLog } from "./service-log.ts";
import type { LocalSettings } from "./settings.ts";
import { workerSettings } from "./worker-settings.ts";

/** The service on this machine: libSQL on a file, migrated, and the Worker in workerd with its minute tick. */
export interface LocalService {
  url: string;
  databaseUrl: string;
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
  settings: Pick<LocalSettings, "serverSecret" | "databaseToken">;
}

export async function startService(options: LocalServiceOptions): Promise<LocalService> {
  const { stateDirectory, settings } = options;
  // The state's directory may already exist and be open to other users.
  await mkdir(join(stateDirectory, "objects"), { recursive: true, mode: 0o700 });
  const downloadsDirectory = join(stateDirectory, "downloads");
  await mkdir(downloadsDirectory, { recursive: true });
  const script = bundleWorker();
  const consoleDirectory = copyConsole(join(stateDirectory, "console"));
  const authToken = settings.databaseToken;
  const bindings = workerSettings(process.env);
  const libsql = await startLibsqlServer({ file: join(stateDirectory, "bellhop.db"), authToken });
  const log = openServiceLog({ stateDirectory, logLevel: bindings["LOG_LEVEL"] });
  try {
    await migrateDatabase({ url: libsql.url, authToken });
    const worker = await startWorker({
      script: await script,
      persistTo: join(stateDirectory, "objects"),
      port: options.port,
      downloadsDirectory,
      consoleDirectory: await consoleDirectory,
      onLogLine: log.write,
      onSpawn: () => recordChildren(stateDirectory),
      onRestart: () =>
        console.error(`bellhop: the service's workerd ended unexpectedly and was started again; see ${log.file}.`),
      bindings: {
        LOG_LEVEL: "INFO",
        ...bindings,
        DATABASE_URL: libsql.url,
        DATABASE_AUTH_TOKEN: authToken,
        BELLHOP_SECRET: settings.serverSecret,
        BOOTSTRAP_ADMIN_TOKEN: options.adminToken,
      },
    });
    const stopTicking = tickEveryMinute(() => worker.tick());
    return {
      url: worker.url,
      databaseUrl: libsql.url,
      logFile: log.file,
      downloadsDirectory,
      stop: async () => {
        stopTicking();
        await worker.stop();
        await libsql.stop();
        forgetChildren(stateDirectory);
      },
    };
  } catch (error) {
    await libsql.stop();
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
