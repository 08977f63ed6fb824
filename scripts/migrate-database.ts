import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { drizzle } from "drizzle-orm/libsql/web";
import { migrate } from "drizzle-orm/libsql/migrator";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Client } from "@libsql/client/web";
import { ROOT } from "./paths.ts";

/**
 * Brings a libSQL database, local or Turso's, to the newest schema. Safe to repeat; a database newer than these
 * migrations stays as it is. Throws for a database that began with other migrations.
 */
export async function migrateDatabase(target: {
  url: string;
  authToken?: string | undefined;
  /** Default: this repository's migrations. */
  migrationsFolder?: string;
}): Promise<void> {
  const client = createClient({
    url: target.url,
    ...(target.authToken === undefined ? {} : { authToken: target.authToken }),
  });
  const migrationsFolder = target.migrationsFolder ?? join(ROOT, "schema/migrations");
  try {
    await refuseOtherBeginning(client, migrationsFolder);
    await migrate(drizzle(client), { migrationsFolder });
  } finally {
    client.close();
  }
}

async function refuseOtherBeginning(client: Client, migrationsFolder: string): Promise<void> {
  const tables = await client.execute("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'");
  if (tables.rows.length === 0) return;
  const { rows } = await client.execute("SELECT hash FROM __drizzle_migrations ORDER BY created_at, id LIMIT 1");
  const hash = rows[0]?.["hash"];
  if (hash === undefined || hash === readMigrationFiles({ migrationsFolder })[0]?.hash) return;
  throw new Error(
    "The database is of an earlier version, which cannot be migrated: use an empty database, or the earlier version.",
  );
}

/** The innermost error, from the database or the network; the errors around it are about code. */
export function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermost(error.cause);
}
