/**
 * How many segments of a path are `.` or `..` to any server that may read it: a backslash is a slash to URL parsers, and
 * many servers decode %2e, %2f and %5c before they resolve such segments (RFC 3986, 6.2.2), some also in overlong UTF-8. An
 * escape that is encoded twice counts as well: a proxy before the server may decode it once. Java servers cut off what
 * follows a semicolon in a segment before they resolve it, others what follows a NUL.
 */
export function dotSegmentsIn(path: string): number {
  const decoded = path.replaceAll(/%(?:25)+/gu, "%").replaceAll(/%2e|%c0%ae/giu, ".");
  return decoded.split(/[/\\]|%2f|%5c|%c0%af/iu).filter((segment) => /^\.{1,2}(?:$|;|%3b|%00)/iu.test(segment)).length;
}
