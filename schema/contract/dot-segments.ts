/**
 * How many segments of a path are `.` or `..` to whoever may read it: a backslash is a slash to URL parsers, and many
 * servers decode %2e, %2f and %5c before they resolve such segments (RFC 3986, 6.2.2). What is encoded twice counts as
 * well: a proxy before the server may decode it once.
 */
export function dotSegmentsIn(path: string): number {
  const decoded = path.replaceAll(/%(?:25)+/gu, "%").replaceAll(/%2e/giu, ".");
  return decoded.split(/[/\\]|%2f|%5c/iu).filter((segment) => segment === "." || segment === "..").length;
}
