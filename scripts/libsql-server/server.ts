import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { bearerCheck } from "./bearer.ts";
import { encodeError, HranaError, toHranaError } from "./errors.ts";
import { HranaDatabase } from "./hrana-database.ts";

export interface LibsqlServerOptions {
  /** The database file; it and its folder are created when missing. */
  file: string;
  /** 0, the default, takes a free port. */
  port?: number;
  hostname?: "127.0.0.1";
  /** `full` (default): answered writes survive a power cut; `normal`: they survive a crash of the process. */
  synchronous?: "full" | "normal";
  /** When set, every pipeline must send it as the bearer token. */
  authToken?: string;
  limits?: Partial<LibsqlServerLimits>;
}

export interface LibsqlServerLimits {
  /** A stream without requests for this long is closed and its transaction rolled back (10 s). */
  streamIdleMs: number;
  /**
   * How long a write waits for another stream's transaction before it fails with `SQLITE_BUSY` (12 s: longer than
   * `streamIdleMs`, so that an abandoned transaction only delays the others).
   */
  writeWaitMs: number;
  maxBodyBytes: number;
}

export interface LibsqlServer {
  url: string;
  port: number;
  /** Statements executed since the start, BEGIN and COMMIT included. */
  statementCount(): number;
  /** Pipelines received since the start. */
  requestCount(): number;
  /** Ends running work, rolls back open transactions, moves the log into the file and closes the file. */
  stop(): Promise<void>;
}

const DEFAULT_LIMITS: LibsqlServerLimits = {
  streamIdleMs: 10_000,
  writeWaitMs: 12_000,
  maxBodyBytes: 16 * 1_024 * 1_024,
};
/** Bun's maximum: a request on an idle connection fails when the server closes the connection at that moment. */
const HTTP_IDLE_SECONDS = 255;
const STOP_LIMIT_MS = 2_000;
const OWNER_ONLY = 0o600;

/**
 * Serves one SQLite file to `@libsql/client/web` and others: Hrana over HTTP, `/v2/pipeline` and `/v3/pipeline`, as
 * JSON. SQL is plain SQLite; of libSQL's additions only read-only transactions exist. Rejects when the file is not a
 * database or the port is taken.
 */
export async function startLibsqlServer(options: LibsqlServerOptions): Promise<LibsqlServer> {
  const { maxBodyBytes, ...limits } = { ...DEFAULT_LIMITS, ...options.limits };
  const { file, port = 0, hostname = "127.0.0.1", synchronous = "full", authToken } = options;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  keepToOwner(file);
  const database = new HranaDatabase({ file, synchronous, ...limits });
  const isAuthorised = bearerCheck(authToken);
  let requestCount = 0;
  let stopped: Promise<void> | undefined;

  const answer = async (request: Request): Promise<Response> => {
    requestCount++;
    try {
      if (!isAuthorised(request)) {
        throw new HranaError("UNAUTHORIZED", "The bearer token is missing or wrong; set the client's authToken", 401);
      }
      return json(200, await database.answer(await request.text(), request));
    } catch (error) {
      const hranaError = toHranaError(error);
      return json(hranaError.httpStatus, encodeError(hranaError));
    }
  };
  const server = listen({ port, hostname, maxBodyBytes, answer, database });
  const stop = async (): Promise<void> => {
    database.beginStop();
    // Requests in progress end without help; idle connections of clients would not.
    await Promise.race([server.stop(), Bun.sleep(STOP_LIMIT_MS)]);
    await server.stop(true);
    database.close();
  };
  const boundPort = server.port ?? port;
  return {
    url: `http://${hostname}:${boundPort}`,
    port: boundPort,
    statementCount: () => database.statementCount,
    requestCount: () => requestCount,
    stop: () => (stopped ??= stop()),
  };
}

/**
 * Independent of the umask: a token guards the server, and the file must not be a way around it. SQLite gives the log
 * the same mode.
 */
function keepToOwner(file: string): void {
  closeSync(openSync(file, "a", OWNER_ONLY));
  chmodSync(file, OWNER_ONLY);
}

interface Listening {
  port: number;
  hostname: string;
  maxBodyBytes: number;
  answer: (request: Request) => Promise<Response>;
  database: HranaDatabase;
}

function listen({ port, hostname, maxBodyBytes, answer, database }: Listening): Bun.Server<undefined> {
  const supported = () => new Response(null, { status: 200 });
  try {
    return Bun.serve({
      port,
      hostname,
      maxRequestBodySize: maxBodyBytes,
      idleTimeout: HTTP_IDLE_SECONDS,
      routes: {
        "/v2/pipeline": { POST: answer },
        "/v3/pipeline": { POST: answer },
        "/v2": { GET: supported },
        "/v3": { GET: supported },
        "/health": { GET: supported },
      },
      fetch: () => json(404, encodeError(new HranaError("NOT_FOUND", "Only Hrana over HTTP as JSON is served here"))),
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The client recognizes its errors by exactly this content type, without a charset. */
function json(status: number, body: string): Response {
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}
