import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { BoundedMap } from "../domain/bounded-map.ts";

const PATHS_MAX = 1_000;
const CACHED_PATH_MAX_CHARS = 200;

/**
 * Hono's router, with the results for recent paths: agents and webhooks call the same paths again and again, and a
 * search through all routes is a large part of such a call. Hono only reads the results.
 */
export class CachingRouter<T> implements Router<T> {
  readonly name = "CachingRouter";
  readonly #router = new TrieRouter<T>();
  readonly #known = new BoundedMap<string, Result<T>>(PATHS_MAX);

  add(method: string, path: string, handler: T): void {
    this.#router.add(method, path, handler);
  }

  match(method: string, path: string): Result<T> {
    const key = `${method} ${path}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#router.match(method, path);
    if (key.length <= CACHED_PATH_MAX_CHARS) this.#known.set(key, found);
    return found;
  }
}
