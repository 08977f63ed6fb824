import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, type Config, createClient, LibsqlError } from "@libsql/client/web";
import { z } from "zod";
import { type LibsqlServer, type LibsqlServerOptions, startLibsqlServer } from "../../scripts/libsql-server/server.ts";

export interface TestLibsql {
  server: LibsqlServer;
  file: string;
  /** A new client of `@libsql/client/web`. */
  client(config?: Partial<Config>): Client;
  /** Sends a pipeline unchanged. */
  pipeline(requests: unknown[]): Promise<PipelineAnswer>;
  dispose(): Promise<void>;
}

const pipelineAnswer = z.object({ baton: z.null(), results: z.array(z.unknown()) });
type PipelineAnswer = z.infer<typeof pipelineAnswer>;

/** A local libSQL server on a temporary file. */
export async function startTestLibsql(options: Omit<LibsqlServerOptions, "file"> = {}): Promise<TestLibsql> {
  const folder = await mkdtemp(join(tmpdir(), "libsql-"));
  const file = join(folder, "test.db");
  const server = await startLibsqlServer({ file, synchronous: "normal", ...options });
  return {
    server,
    file,
    client: (config) => createClient({ url: server.url, concurrency: Infinity, ...config }),
    async pipeline(requests) {
      const response = await post(`${server.url}/v2/pipeline`, JSON.stringify({ baton: null, requests }));
      return pipelineAnswer.parse(await response.json());
    },
    async dispose() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
}

/** The code of the error that `promise` must fail with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof LibsqlError) return error.code;
  throw new Error(`expected a LibsqlError, got ${String(error)}`, { cause: error });
}
