import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../../scripts/build-console.ts";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { startLibsqlServer } from "../../scripts/libsql-server/server.ts";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { startWorker } from "../../scripts/worker-runtime.ts";
import type { WorkerRuntime } from "../../scripts/worker-runtime.ts";

type LibsqlServer = Awaited<ReturnType<typeof startLibsqlServer>>;

/**
 * The whole service for a test: the real Worker in workerd and a real libSQL server, each on a free port with its own
 * files. Stop it in `afterAll`.
 */
export interface Bellhop {
  url: string;
  adminToken: string;
  serverSecret: string;
  /** Holds the database file and the objects' storage. */
  directory: string;
  worker: WorkerRuntime;
  libsql: LibsqlServer;
  /** Calls the service as an administrator; a body is sent as JSON. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Stops libSQL; `startLibsql` brings the same file back on the same port. */
  stopLibsql(): Promise<void>;
  startLibsql(): Promise<void>;
  /**
   * Ends workerd and starts it again on the same storage and a new port; `whileDown` has exclusive access to the files.
   */
  restartWorker(whileDown?: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** The header that gives a caller's address to the service, as an operator's proxy would send it. */
export const CLIENT_IP_HEADER = "X-Real-IP";

let bundle: Promise<string> | undefined;

export async function startBellhop(
  options: {
    bindings?: Record<string, string>;
    trustedCertificates?: string[];
    /** The directory of agent releases; without one, an empty bucket. */
    downloadsDirectory?: string;
    /** With the console, built if necessary. */
    console?: boolean;
    /** Takes each line of the service's log. */
    onLogLine?: (line: string) => void;
  } = {},
): Promise<Bellhop> {
  bundle ??= bundleWorker();
  const script = await bundle;
  const directory = await mkdtemp(join(tmpdir(), "bellhop-test-"));
  const file = join(directory, "bellhop.db");
  let libsql = await startLibsqlServer({ file, synchronous: "normal" });
  await migrateDatabase({ url: libsql.url });
  const adminToken = "test-bootstrap-admin-token-0123456789";
  const serverSecret = "test-server-secret-0123456789-0123456789";
  const port = libsql.port;
  const runtimeOptions = {
    script,
    persistTo: join(directory, "objects"),
    bindings: {
      DATABASE_URL: libsql.url,
      BELLHOP_SECRET: serverSecret,
      BOOTSTRAP_ADMIN_TOKEN: adminToken,
      TRUSTED_CLIENT_IP_HEADER: CLIENT_IP_HEADER,
      ...options.bindings,
    },
    ...(options.trustedCertificates === undefined ? {} : { trustedCertificates: options.trustedCertificates }),
    ...(options.console === true ? { consoleDirectory: await buildConsole() } : {}),
    ...(options.downloadsDirectory === undefined ? {} : { downloadsDirectory: options.downloadsDirectory }),
    ...(options.onLogLine === undefined ? {} : { onLogLine: options.onLogLine }),
  };
  let worker = await startWorker(runtimeOptions);
  const bellhop: Bellhop = {
    get url() {
      return worker.url;
    },
    adminToken,
    serverSecret,
    directory,
    get worker() {
      return worker;
    },
    get libsql() {
      return libsql;
    },
    api: (method, path, body, headers = {}) =>
      fetch(`${worker.url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${adminToken}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stopLibsql: () => libsql.stop(),
    startLibsql: async () => {
      libsql = await startLibsqlServer({ file, port, synchronous: "normal" });
    },
    restartWorker: async (whileDown) => {
      await worker.stop();
      whileDown?.();
      worker = await startWorker(runtimeOptions);
    },
    stop: async () => {
      await worker.stop();
      await libsql.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return bellhop;
}
