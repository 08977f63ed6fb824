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

/** Keeps work of a request alive after its answer, and after its client left. An object's work needs no such thing. */
type KeepAlive = (work: Promise<unknown>) => void;

/** One per request or per object, because the platform drops the work of a request that has ended. */
export function createDeps(env: Env, keepAlive: KeepAlive = () => undefined): Deps {
  let db: Database | undefined;
  const settings = settingsOf(env);
  const open = (limitMs?: number) =>
    openDatabase(
      { url: settings.databaseUrl, token: settings.databaseToken, through: env.DATABASE, keepAlive },
      limitMs,
    );
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
