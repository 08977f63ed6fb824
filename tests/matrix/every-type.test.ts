import { test } from "bun:test";
import { join } from "node:path";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";

test.each(CONNECTION_TYPES)("the matrix has a row for connection type %s", async (type) => {
  const row = await Bun.file(join(import.meta.dir, `${type}.test.ts`))
    .text()
    .catch(() => "");
  if (!row.includes(`connectionMatrix("${type}"`)) {
    throw new Error(`Write tests/matrix/${type}.test.ts with the row connectionMatrix("${type}", { … }).`);
  }
});
