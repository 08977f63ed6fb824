import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { keepSqld } from "../../scripts/sqld/keep-sqld.ts";
import { startSqld } from "../../scripts/sqld/start-sqld.ts";
import { makeToken, writeKeyFile } from "../../scripts/sqld/token.ts";
import { sqldMissing } from "../support/database-server.ts";
import { freePort } from "../support/free-port.ts";
import { onAnyCommandLine } from "../support/processes.ts";

const skipped = sqldMissing();
if (skipped !== null) console.log(`skipped: ${skipped}`);
const noProcesses = skipped !== null || process.platform !== "linux";
if (noProcesses && skipped === null) console.log("skipped: processes are found in /proc, which only Linux has");

test.skipIf(skipped !== null)("sqld that cannot start is explained by its own lines", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const jwtKeyFile = join(directory, "missing.pem");
  const started = startSqld({ directory: join(directory, "data"), port: await freePort(), jwtKeyFile });
  await expect(started).rejects.toThrow(/sqld did not start on .*: .*(?:missing\.pem|No such file)/u);
  await rm(directory, { recursive: true });
});

test.skipIf(skipped !== null)(
  "sqld that finds a damaged file names it, without its lines about other things",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
    const file = join(directory, "dbs/default/data");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "no database ");
    const error: unknown = await startSqld({ directory, port: await freePort() }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(`sqld did not start on ${directory}: `);
    expect(String(error)).toContain("page size");
    expect(String(error)).not.toContain("tokio");
    expect(String(error)).not.toContain("INFO");
    await rm(directory, { recursive: true });
  },
);

test.skipIf(skipped !== null)("sqld that does not react is killed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const sqld = await startSqld({ directory: join(directory, "data"), port: await freePort() });
  process.kill(sqld.pid, "SIGSTOP");
  await sqld.stop("SIGTERM", 50);
  expect(await sqld.exited).toBe(137);
  await rm(directory, { recursive: true });
});

// Many writers at once would hang it (docs/decisions/0024-writers-by-latency.md).
test.skipIf(skipped !== null)("sqld has two connections at once, and 200 requests wait for one of them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const sqld = await startSqld({ directory: join(directory, "data"), port: await freePort() });
  try {
    const send = async (request: object, baton: string | null = null) => {
      const body = JSON.stringify({ baton, requests: [request] });
      const response = await fetch(`${sqld.url}/v2/pipeline`, { method: "POST", body });
      return z.object({ baton: z.string().nullable() }).parse(await response.json()).baton;
    };
    const select = { type: "execute", stmt: { sql: "SELECT 1" } };
    const close = { type: "close" };
    let held = await send(select);
    const other = await send(select);
    let answered = 0;
    const waiting = Array.from({ length: 200 }, async () => {
      const baton = await send(select);
      answered += 1;
      await send(close, baton);
    });
    for (let n = 0; n < 100; n += 1) held = await send(select, held);
    expect(answered).toBe(0);
    await Promise.all([send(close, held), send(close, other), ...waiting]);
    expect(answered).toBe(200);
  } finally {
    await sqld.stop("SIGKILL");
    await rm(directory, { recursive: true });
  }
});

test.skipIf(noProcesses)("sqld that is stopped while it is started again leaves no process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const restart = Promise.withResolvers<string>();
  const sqld = await keepSqld(
    { directory: join(directory, "data"), port: await freePort() },
    { say: restart.resolve, onSpawn: () => undefined },
  );
  process.kill(sqld.pid(), "SIGKILL");
  expect(await restart.promise).toContain("is started again");
  expect(onAnyCommandLine(directory)).toBe(true);
  await sqld.stop();
  expect(onAnyCommandLine(directory)).toBe(false);
  await rm(directory, { recursive: true });
});

test.skipIf(noProcesses)("sqld that cannot be started again leaves no process when it is stopped", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const jwtKeyFile = join(directory, "key.pem");
  writeKeyFile(jwtKeyFile, makeToken().publicKey);
  const failure = Promise.withResolvers<void>();
  const sqld = await keepSqld(
    { directory: join(directory, "data"), port: await freePort(), jwtKeyFile },
    { say: (line) => line.includes("tried again every second") && failure.resolve(), onSpawn: () => undefined },
  );
  await rm(jwtKeyFile);
  process.kill(sqld.pid(), "SIGKILL");
  await failure.promise;
  await sqld.stop();
  expect(onAnyCommandLine(directory)).toBe(false);
  await rm(directory, { recursive: true });
});
