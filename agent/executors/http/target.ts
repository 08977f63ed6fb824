import type { ActionParams } from "../../../schema/contract/action.ts";
import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import { outsideProblem } from "../../../schema/contract/http-scope.ts";
import { invalidParams } from "../shared/failures.ts";

type TargetParams = Pick<ActionParams<"http.request">, "path" | "url" | "query">;

/**
 * The address of a request: the connection's base URL, a path below it, or the whole address in `url`. A connection
 * with a credential stays below its base URL for any value of a template in `path` or `url`.
 */
export function targetUrl(config: ConnectionConfig<"http">, { path, url, query }: TargetParams): URL {
  const base = new URL(config.baseUrl);
  const target = url === undefined ? belowBase(base, path ?? "") : new URL(url);
  const outside = outsideProblem(config.authType, base, target);
  if (outside !== null) throw invalidParams(outside);
  // Joined as text: URLSearchParams would also rewrite the existing query.
  const added = Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  target.search = [target.search.slice(1), ...added].filter((part) => part !== "").join("&");
  target.hash = "";
  return target;
}

function belowBase(base: URL, path: string): URL {
  const [pathname = "", ...search] = path.split("?");
  const target = new URL(base);
  const below = pathname.replace(/^[/\\]+/u, "");
  if (below !== "") target.pathname = `${base.pathname.replace(/\/+$/u, "")}/${below}`;
  target.search = [base.search.slice(1), search.join("?")].filter((part) => part !== "").join("&");
  return target;
}

/** A lone half of a character cannot be encoded; toWellFormed makes it what a peer would see. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
