import { dotSegmentsIn } from "../../../schema/contract/dot-segments.ts";

/**
 * Whether an address is `base` or below it, so that a credential for `base` may be sent there. Segments are compared
 * literally, except for the case of escapes. A path that a server could resolve to a place above is not below.
 */
export function isBelow(base: URL, address: URL): boolean {
  if (address.origin !== base.origin) return false;
  const [above, segments] = [segmentsOf(base), segmentsOf(address)];
  if (!above.every((segment, index) => segment === segments[index])) return false;
  // There is nothing above the root.
  return above.length === 1 || dotSegmentsIn(segments.slice(above.length).join("/")) === 0;
}

/** Where a credential for `base` may go, for messages. */
export function scopeOf(base: URL): string {
  const path = segmentsOf(base).join("/");
  return path === "" ? base.origin : `${base.origin}${path} and what is below it`;
}

/** The URL parser has resolved plain dots and backslashes. RFC 3986, 6.2.2.1: %2f and %2F are the same. */
function segmentsOf({ pathname }: URL): string[] {
  return pathname
    .replace(/\/+$/u, "")
    .replaceAll(/%[0-9a-f]{2}/giu, (escape) => escape.toUpperCase())
    .split("/");
}
