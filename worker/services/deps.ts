import type { IdKind } from "../../schema/contract/ids.ts";
import type { Env } from "../env.ts";
import { openDatabase } from "../store/database.ts";
import type { Database } from "../store/database.ts";
import { newId } from "./ids.ts";
import { createObjects } from "./objects.ts";
import type { Objects } from "./objects.ts";
import { settingsOf } from "./settings.ts";
import type { Settings } from "./settings.ts";

/** Everything that a verb may use from outside (ARCHITECTURE.md#layout). */
export interface Deps {
  readonly settings: Settings;
  readonly db: Database;
  /** A separate client of the same database. `limitMs` bounds each of its queries. */
  openDatabase(limitMs?: number): Database;
  readonly objects: Objects;
  now(): number;
  newId(kind: IdKind): string;
}

/** One per request or per object: a libSQL client must not be shared between requests (it leaks its slots). */
export function createDeps(env: Env): Deps {
  let db: Database | undefined;
  const settings = settingsOf(env);
  const open = (limitMs?: number) =>
    openDatabase({ url: settings.databaseUrl, token: settings.databaseToken, through: env.DATABASE }, limitMs);
  return {
    settings,
    // A webhook request needs no database, so the client is opened on first use.
    get db() {
      return (db ??= open());
    },
    openDatabase: open,
    objects: createObjects(env),
    now: Date.now,
    newId: (kind) => newId(kind, Date.now()),
  };
}
