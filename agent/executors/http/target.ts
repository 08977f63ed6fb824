import type { ActionParams } from "../../../schema/contract/action.ts";
import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import { baseUrlOf, outsideProblem } from "../../../schema/contract/http-scope.ts";
import type { Place } from "../../../schema/contract/target-list.ts";
import { ExecutorFailure, invalidParams } from "../shared/failures.ts";

type TargetParams = Pick<ActionParams<"http.request">, "path" | "url" | "query">;

/** The address below which a job's requests go. */
export function baseOf(config: ConnectionConfig<"http">, place: Place | null): URL {
  const base = baseUrlOf(config, place);
  if (base !== null) return new URL(base);
  throw new ExecutorFailure(
    "invalid_config",
    "The connection has no baseUrl. Set it, or targets with a target in the step.",
  );
}

/**
 * The address of a request: the base URL, a path below it, or the whole address in `url`. A connection with a credential,
 * or with several hosts, stays below its base URL for any value of a template in `path` or `url`.
 */
export function targetUrl(config: ConnectionConfig<"http">, base: URL, { path, url, query }: TargetParams): URL {
  const target = url === undefined ? belowBase(base, path ?? "") : new URL(url);
  const outside = outsideProblem(config, base, target);
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
