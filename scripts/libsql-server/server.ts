import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { bearerCheck } from "./bearer.ts";
import { encodeError, HranaError, toHranaError } from "./errors.ts";
import { LibsqlDatabase } from "./database.ts";

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
  maxBodyBytes?: number;
}

export interface LibsqlServer {
  url: string;
  port: number;
  /** Statements executed since the start, BEGIN and COMMIT included. */
  statementCount(): number;
  /** Pipelines received since the start. */
  requestCount(): number;
  /** Ends running work, moves the log into the file and closes the file. */
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1_024 * 1_024;
/** Bun's maximum: a request on an idle connection fails when the server closes the connection at that moment. */
const HTTP_IDLE_SECONDS = 255;
const STOP_LIMIT_MS = 2_000;
const OWNER_ONLY = 0o600;

/**
 * Serves one SQLite file to `@libsql/client/web` and others: Hrana over HTTP, `/v2/pipeline` and `/v3/pipeline`, as
 * JSON, without interactive transactions. SQL is plain SQLite; of libSQL's additions only read-only batches exist.
 * Rejects when the file is not a database or the port is taken.
 */
export async function startLibsqlServer(options: LibsqlServerOptions): Promise<LibsqlServer> {
  const { file, port = 0, hostname = "127.0.0.1", synchronous = "full", authToken } = options;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  keepToOwner(file);
  const database = new LibsqlDatabase(file, synchronous);
  const isAuthorised = bearerCheck(authToken);
  let requestCount = 0;
  let stopped: Promise<void> | undefined;

  const answer = async (request: Request): Promise<Response> => {
    requestCount++;
    try {
      if (!isAuthorised(request)) {
        throw new HranaError("UNAUTHORIZED", "The bearer token is missing or wrong; set the client's authToken", 401);
      }
      return json(200, await database.answer(await request.text()));
    } catch (error) {
      const hranaError = toHranaError(error);
      return json(hranaError.httpStatus, encodeError(hranaError));
    }
  };
  let server: Bun.Server<undefined>;
  try {
    server = Bun.serve({
      port,
      hostname,
      maxRequestBodySize: options.maxBodyBytes ?? MAX_BODY_BYTES,
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

const supported = () => new Response(null, { status: 200 });

/** The client recognizes its errors by exactly this content type, without a charset. */
function json(status: number, body: string): Response {
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}
