/** No server decodes a path more often than that. Each round may leave one more escape, so there must be a limit. */
const ROUNDS = 4;

/**
 * Dots and slashes in overlong UTF-8, which the decoders here refuse; and a slash that Unicode does not normalize to
 * one.
 */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/%c0%ae|%e0%80%ae|%f0%80%80%ae/giu, "."],
  [/%c0%af|%e0%80%af|%f0%80%80%af|\u2215/giu, "/"],
  [/%c1%9c|%e0%81%9c|%f0%80%81%9c/giu, "\\"],
];
const ESCAPED_UNIT = /%u([0-9a-f]{4})/giu;
const ESCAPED_ASCII = /%([0-7][0-9a-f])/giu;
const ESCAPED_UTF8 = /(?:%[89a-f][0-9a-f])+/giu;

/** Java servers cut a segment at a semicolon, others at a NUL, `?` or `#`; Windows drops trailing blanks and dots. */
// oxlint-disable-next-line no-control-regex -- finds control characters
const DOTS = /^\.{1,2}(?:$|[\v\f ][\v\f .]*$|[;?#\u0000])/u;

/**
 * How many segments of a path are `.` or `..` to any server that may read it. URL parsers treat a backslash as a slash
 * and drop tabs and line breaks, and many servers decode escapes before they resolve such segments (RFC 3986, 6.2.2). A
 * path that is encoded several times counts as well: a proxy before the server may decode it once.
 */
export function dotSegmentsIn(path: string): number {
  return decoded(path)
    .replaceAll(/[\t\n\r]/gu, "")
    .split(/[/\\]/u)
    .filter((segment) => DOTS.test(segment)).length;
}

function decoded(path: string): string {
  let text = path;
  for (let round = 0; round < ROUNDS; round += 1) {
    text = text.replaceAll(/%(?:25)+/gu, "%");
    for (const [spelling, sign] of SPELLINGS) text = text.replaceAll(spelling, sign);
    for (const escaped of [ESCAPED_UNIT, ESCAPED_ASCII]) {
      text = text.replaceAll(escaped, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
    }
    // Some servers normalize characters by Unicode first: a full-width stop becomes a dot.
    text = text.replaceAll(ESCAPED_UTF8, decodedUtf8).normalize("NFKC");
  }
  return text;
}

function decodedUtf8(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
