import type { IdKind } from "../../schema/contract/ids.ts";
import type { Env } from "../env.ts";
import { openDatabase } from "../store/database.ts";
import type { Database } from "../store/database.ts";
import { newId } from "./ids.ts";
import { setLogLevel } from "./log.ts";
import { createObjects } from "./objects.ts";
import type { Objects } from "./objects.ts";

/** What every verb may use: the world, passed in (design 2). */
export interface Deps {
  readonly env: Env;
  readonly db: Database;
  readonly objects: Objects;
  now(): number;
  newId(kind: IdKind): string;
}

/** One per request or per object: a libSQL client must not be shared between requests (it leaks its slots). */
export function createDeps(env: Env): Deps {
  let db: Database | undefined;
  // Every way into the code comes by here: requests, objects, the minute's tick.
  setLogLevel(env.LOG_LEVEL);
  return {
    env,
    // A webhook's request needs no database: it is opened by those that do.
    get db() {
      return (db ??= openDatabase(env));
    },
    objects: createObjects(env),
    now: Date.now,
    newId: (kind) => newId(kind, Date.now()),
  };
}
