import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { drizzle } from "drizzle-orm/libsql/web";
import { migrate } from "drizzle-orm/libsql/migrator";
import { ROOT } from "./paths.ts";

/**
 * Brings a libSQL database, local or Turso's, to the newest schema. Safe to repeat; a database that is newer than these
 * migrations stays as it is.
 */
export async function migrateDatabase(target: {
  url: string;
  authToken?: string | undefined;
  /** This repository's own when not said. */
  migrationsFolder?: string;
}): Promise<void> {
  const client = createClient({
    url: target.url,
    ...(target.authToken === undefined ? {} : { authToken: target.authToken }),
  });
  try {
    await migrate(drizzle(client), { migrationsFolder: target.migrationsFolder ?? join(ROOT, "schema/migrations") });
  } finally {
    client.close();
  }
}
