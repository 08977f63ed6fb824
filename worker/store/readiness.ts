import { workflows } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

/** Throws when the database does not answer or has no tables. */
export async function probeDatabase(db: Database): Promise<void> {
  await db.select({ id: workflows.id }).from(workflows).limit(1);
}
