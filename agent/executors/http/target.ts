import type { ActionParams } from "../../../schema/contract/action.ts";
import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import { dotSegmentsIn } from "../../../schema/contract/dot-segments.ts";
import { invalidParams } from "../shared/failures.ts";
import { isBelow, scopeOf } from "./scope.ts";

type TargetParams = Pick<ActionParams<"http.request">, "path" | "url" | "query">;

/**
 * The address of a request: the connection's base URL, a path below it, or the whole address in `url`. A connection
 * with a credential stays below its base URL, with any value of a template in `path` or `url`.
 */
export function targetUrl(config: ConnectionConfig<"http">, { path, url, query }: TargetParams): URL {
  if (path !== undefined && url !== undefined) throw invalidParams("Give either path or url, not both.");
  const base = new URL(config.baseUrl);
  const target = url === undefined ? belowBase(base, path ?? "") : ownAddress(url);
  if (config.authType !== "none" && !isBelow(base, target)) {
    throw invalidParams(
      `url leads to ${target.origin}${target.pathname}, but the connection's credential is only for ${scopeOf(base)}. Use a ` +
        "connection for that address, or one whose authType is none.",
    );
  }
  // Joined as text: URLSearchParams would also rewrite what was there before.
  const added = Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  target.search = [target.search.slice(1), ...added].filter((part) => part !== "").join("&");
  target.hash = "";
  return target;
}

function belowBase(base: URL, path: string): URL {
  refuseControlCharacters("path", path);
  const [pathname = "", ...search] = path.split("?");
  if (dotSegmentsIn(pathname) > 0) {
    throw invalidParams(
      "path must not contain . or .. as a segment, encoded or not: it must lead to a place below the base URL.",
    );
  }
  const target = new URL(base);
  const below = pathname.replace(/^[/\\]+/u, "");
  if (below !== "") target.pathname = `${base.pathname.replace(/\/+$/u, "")}/${below}`;
  target.search = [base.search.slice(1), search.join("?")].filter((part) => part !== "").join("&");
  return target;
}

function ownAddress(url: string): URL {
  refuseControlCharacters("url", url);
  if (!URL.canParse(url)) throw invalidParams("url is not an address: it must be complete, such as https://host/path.");
  const target = new URL(url);
  if (target.protocol !== "https:" && target.protocol !== "http:") {
    throw invalidParams(`url has the protocol ${target.protocol}//, but only http:// and https:// can be requested.`);
  }
  if (target.username !== "" || target.password !== "") {
    throw invalidParams("url must not carry a user or password: deliver these as the connection's credential.");
  }
  return target;
}

/** A lone half of a character cannot be encoded; toWellFormed makes it what a peer would see. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** URL parsers drop line breaks and tabs in silence, and what is then requested is not what was written. */
function refuseControlCharacters(name: string, text: string): void {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/u.test(text))
    throw invalidParams(`${name} contains a line break or another control character.`);
}
