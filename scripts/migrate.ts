import { innermost, migrateDatabase } from "./migrate-database.ts";

const url = process.env["DATABASE_URL"];
if (url === undefined || url === "") {
  console.error("bellhop: set DATABASE_URL to the database's address, for Turso also DATABASE_AUTH_TOKEN.");
  process.exit(1);
}
try {
  await migrateDatabase({ url, authToken: process.env["DATABASE_AUTH_TOKEN"] || undefined });
  console.log("The database is at the newest schema.");
} catch (error) {
  console.error(`bellhop: the database could not be migrated: ${innermost(error)}`);
  console.error("Check DATABASE_URL and DATABASE_AUTH_TOKEN, then repeat: completed migrations are skipped.");
  process.exit(1);
}
