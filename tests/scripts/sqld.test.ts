import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSqld } from "../../scripts/sqld/start-sqld.ts";
import { sqldMissing } from "../support/database-server.ts";
import { freePort } from "../support/free-port.ts";

const skipped = sqldMissing();
if (skipped !== null) console.log(`skipped: ${skipped}`);

test.skipIf(skipped !== null)("sqld that cannot start is explained by its own lines", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-sqld-"));
  const jwtKeyFile = join(directory, "missing.pem");
  const started = startSqld({ directory: join(directory, "data"), port: await freePort(), jwtKeyFile });
  await expect(started).rejects.toThrow(/sqld did not start: .*missing\.pem|sqld did not start: .*No such file/u);
  await rm(directory, { recursive: true });
});
