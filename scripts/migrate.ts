import { migrateDatabase } from "./migrate-database.ts";

const url = process.env["DATABASE_URL"];
if (url === undefined || url === "") {
  console.error("bellhop: set DATABASE_URL to the database's address, for Turso also DATABASE_AUTH_TOKEN.");
  process.exit(1);
}
await migrateDatabase({ url, authToken: process.env["DATABASE_AUTH_TOKEN"] });
console.log("The database is at the newest schema.");
