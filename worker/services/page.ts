import { ID_PREFIXES } from "../../schema/contract/ids.ts";
import type { z } from "zod";
import type { IdKind } from "../../schema/contract/ids.ts";
import type { PageQuery } from "../../schema/contract/management.ts";
import { parseInput } from "./parse.ts";
import { ProblemError } from "./problem.ts";

/** One page of a list, newest first. */
export interface Page<T> {
  items: T[];
  /** Opaque; null on the last page. */
  nextCursor: string | null;
}

/** A store function's input for one page. `beforeId` is the last id of the previous page. */
export interface PageRequest {
  limit: number;
  beforeId: string | null;
}

/** The content of a cursor: an id, the id of a pool, or a time (epoch ms). */
type CursorKind = IdKind | "pool" | "time";

const PLAIN_CURSORS = { pool: /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/u, time: /^\d{1,15}$/u } as const;

/** A list's query, parsed by its operation's schema, with the cursor decoded. */
export function parsePage<Query extends PageQuery>(
  kind: CursorKind,
  operation: { query: z.ZodType<Query> },
  query: unknown,
): Omit<Query, "cursor"> & PageRequest {
  const { cursor, ...rest } = parseInput(operation.query, query);
  return { ...rest, beforeId: decodeCursor(kind, cursor) };
}

/** The id inside a cursor that `toPage` made; null without a cursor. Throws `invalid_request` for anything else. */
function decodeCursor(kind: CursorKind, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const id = /^[A-Za-z0-9_-]+$/u.test(cursor) ? Buffer.from(cursor, "base64url").toString("latin1") : "";
  const form =
    kind === "pool" || kind === "time" ? PLAIN_CURSORS[kind] : new RegExp(`^${ID_PREFIXES[kind]}_[0-9a-f-]{36}$`, "u");
  if (!form.test(id)) {
    throw new ProblemError("invalid_request", "The cursor is not from this list. Start without a cursor.", {
      errors: [{ path: "cursor", message: "must be the nextCursor of the page before" }],
    });
  }
  return id;
}

/** The query reads one row more than `limit`; that row says whether there is a next page. */
export function toPage<T>(rows: readonly T[], limit: number, idOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(idOf(last)) : null };
}

export function encodeCursor(id: string): string {
  return Buffer.from(id, "latin1").toString("base64url");
}
