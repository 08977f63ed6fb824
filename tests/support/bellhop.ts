import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyConsole } from "../../scripts/build-console.ts";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { startWorker } from "../../scripts/worker-runtime.ts";
import type { WorkerRuntime } from "../../scripts/worker-runtime.ts";
import { startTestDatabase } from "./test-database.ts";
import type { TestDatabase } from "./test-database.ts";
import { workerScript } from "./worker-script.ts";
import { NEW_CONNECTION } from "./new-connection.ts";

/**
 * The service for a test, with a real libSQL server, each on a free port: our server, or sqld with `DATABASE=sqld`. Stop
 * it in `afterAll`.
 */
export interface Service {
  url: string;
  adminToken: string;
  serverSecret: string;
  /** Holds the database file and the objects' storage. */
  directory: string;
  libsql: TestDatabase;
  /** Calls the service as an administrator; a body is sent as JSON. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Stops libSQL; `startLibsql` brings the same file back on the same port. */
  stopLibsql(): Promise<void>;
  startLibsql(): Promise<void>;
  stop(): Promise<void>;
}

/** The whole service: the real Worker in workerd. */
export interface Bellhop extends Service {
  worker: WorkerRuntime;
  /**
   * Ends workerd and starts it again on the same storage and a new port; `whileDown` has exclusive access to the files.
   */
  restartWorker(whileDown?: () => void): Promise<void>;
}

/** The header that gives a caller's address to the service, as an operator's proxy would send it. */
export const CLIENT_IP_HEADER = "X-Real-IP";

export async function startBellhop(
  options: {
    bindings?: Record<string, string>;
    trustedCertificates?: string[];
    /** The directory of agent releases; without one, an empty bucket. */
    downloadsDirectory?: string;
    /** The socket of the process that writes exported records. */
    exportSocket?: string;
    /** With the console, built if necessary. */
    console?: boolean;
    /** Takes each line of the service's log. */
    onLogLine?: (line: string) => void;
  } = {},
): Promise<Bellhop> {
  const script = await workerScript();
  const base = await startDatabase();
  const runtimeOptions = {
    script,
    persistTo: join(base.directory, "objects"),
    bindings: { ...base.bindings, ...options.bindings },
    ...(options.trustedCertificates === undefined ? {} : { trustedCertificates: options.trustedCertificates }),
    ...(options.console === true ? { consoleDirectory: await copyConsole(join(base.directory, "console")) } : {}),
    ...(options.downloadsDirectory === undefined ? {} : { downloadsDirectory: options.downloadsDirectory }),
    ...(options.exportSocket === undefined ? {} : { exportSocket: options.exportSocket }),
    ...(options.onLogLine === undefined ? {} : { onLogLine: options.onLogLine }),
  };
  const bellhop: Bellhop = Object.assign(
    serviceOn(base, { url: () => bellhop.worker.url, stop: () => bellhop.worker.stop() }),
    {
      worker: await startWorker(runtimeOptions),
      restartWorker: async (whileDown?: () => void) => {
        await bellhop.worker.stop();
        whileDown?.();
        bellhop.worker = await startWorker(runtimeOptions);
      },
    },
  );
  return bellhop;
}

/**
 * The service's routes in this process, without workerd and without objects: for validation, permissions and what else
 * the database alone decides. A call of an object fails with 500.
 */
export async function startApp(options: { bindings?: Record<string, string> } = {}): Promise<Service> {
  const { createApp } = await import("../../worker/app.ts");
  const app = createApp();
  const base = await startDatabase();
  const environment = { LOG_LEVEL: "WARNING", ...base.bindings, ...options.bindings };
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => await app.fetch(await withByteStream(request), environment, context),
  });
  return serviceOn(base, { url: () => server.url.origin, stop: () => server.stop(true) });
}

/** The same request with a body that a BYOB reader takes, as in workerd; its clones have one, too. */
async function withByteStream(request: Request): Promise<Request> {
  if (request.body === null) return request;
  const { url, method, headers } = request;
  const bytes = new Uint8Array(await request.arrayBuffer());
  const copy = (): Request => {
    const body = new ReadableStream({
      type: "bytes",
      start(controller) {
        if (bytes.length > 0) controller.enqueue(bytes.slice());
        controller.close();
      },
    });
    return Object.assign(new Request(url, { method, headers, body }), { clone: copy });
  };
  return copy();
}

async function startDatabase() {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-test-"));
  let libsql = await startTestDatabase(directory);
  const { url } = libsql;
  await migrateDatabase({ url });
  const adminToken = "test-bootstrap-admin-token-0123456789";
  const serverSecret = "test-server-secret-0123456789-0123456789";
  return {
    adminToken,
    serverSecret,
    directory,
    bindings: {
      DATABASE_URL: url,
      BELLHOP_SECRET: serverSecret,
      BOOTSTRAP_ADMIN_TOKEN: adminToken,
      TRUSTED_CLIENT_IP_HEADER: CLIENT_IP_HEADER,
    },
    get libsql() {
      return libsql;
    },
    stopLibsql: () => libsql.stop(),
    startLibsql: async () => {
      libsql = await startTestDatabase(directory, new URL(url).port);
    },
  };
}

function serviceOn(
  base: Awaited<ReturnType<typeof startDatabase>>,
  { url, stop }: { url: () => string; stop: () => Promise<void> },
): Service {
  return {
    get url() {
      return url();
    },
    adminToken: base.adminToken,
    serverSecret: base.serverSecret,
    directory: base.directory,
    get libsql() {
      return base.libsql;
    },
    stopLibsql: base.stopLibsql,
    startLibsql: base.startLibsql,
    api: (method, path, body, headers = {}) =>
      fetch(`${url()}${path}`, {
        ...NEW_CONNECTION,
        method,
        headers: {
          Authorization: `Bearer ${base.adminToken}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stop: async () => {
      await stop();
      await base.libsql.stop();
      await rm(base.directory, { recursive: true, force: true });
    },
  };
}
