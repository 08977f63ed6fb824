import type { ConnectionConfig } from "./connection.ts";
import { dotSegmentsIn } from "./dot-segments.ts";
import { placeText } from "./target-list.ts";
import type { Place as HostPlace } from "./target-list.ts";

/** The parts of a URL object that say where it leads. */
interface Place {
  readonly origin: string;
  readonly pathname: string;
}

/**
 * Whether an address is `base` or below it, so that a credential for `base` may be sent there. Segments are compared
 * literally, except for the case of escapes. A path that a server could resolve to a place above is not below.
 */
export function isBelow(base: Place, address: Place): boolean {
  if (address.origin !== base.origin) return false;
  const [above, segments] = [segmentsOf(base), segmentsOf(address)];
  if (!above.every((segment, index) => segment === segments[index])) return false;
  // There is nothing above the root.
  return above.length === 1 || dotSegmentsIn(segments.slice(above.length).join("/")) === 0;
}

/** The address below which requests go: with targets, that of the job's target. */
export function baseUrlOf(
  { baseUrl, basePath = "" }: ConnectionConfig<"http">,
  target: HostPlace | null,
): string | null {
  return target === null ? (baseUrl ?? null) : `https://${placeText(target)}${basePath}`;
}

/** The problem with an address for a connection with this base URL; null without one. */
export function outsideProblem(
  { authType, targets }: Pick<ConnectionConfig<"http">, "authType" | "targets">,
  base: Place,
  address: Place,
): string | null {
  if ((authType === "none" && targets === undefined) || isBelow(base, address)) return null;
  const leads = `url leads to ${address.origin}${address.pathname}, but`;
  if (targets !== undefined)
    return `${leads} the step's target allows only ${scopeOf(base)}. Use path, or another target.`;
  return `${leads} the connection's credential is only for ${scopeOf(base)}. Use a connection for that address, or one whose authType is none.`;
}

/** Where a credential for `base` goes, for messages. */
function scopeOf(base: Place): string {
  const path = segmentsOf(base).join("/");
  return path === "" ? base.origin : `${base.origin}${path} and what is below it`;
}

/** The URL parser has resolved plain dots and backslashes. RFC 3986, 6.2.2.1: %2f and %2F are the same. */
function segmentsOf({ pathname }: Place): string[] {
  return pathname
    .replace(/\/+$/u, "")
    .replaceAll(/%[0-9a-f]{2}/giu, (escape) => escape.toUpperCase())
    .split("/");
}
