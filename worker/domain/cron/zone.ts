import { BoundedMap } from "../bounded-map.ts";

const MAX_NAMES = 500;
/** The names of three letters in the IANA database. */
const THREE_LETTERS = new Set("CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "));

/** A lookup takes 35 µs in workerd, so an isolate caches the last names. */
const canonicalNames = new BoundedMap<string, string>(MAX_NAMES);

/** The problem with the name of a time zone; null for a valid one. */
export function zoneProblem(zone: string): string | null {
  if (/^(?:utc|gmt)?[+-]\d/iu.test(zone)) {
    return `${JSON.stringify(zone)} is an offset, which has no daylight saving; write an IANA name such as Europe/Berlin, or UTC`;
  }
  // Other abbreviations are ambiguous, and engines accept some of them: to them BST is Bangladesh.
  const isName = zone.length !== 3 || THREE_LETTERS.has(zone.toUpperCase());
  if (isName && canonicalZone(zone) !== null) return null;
  const meant = suggestion(zone);
  return `${JSON.stringify(zone)} is not an IANA time zone; ${meant === undefined ? "write a name such as Europe/Berlin, or UTC" : `write ${meant}`}`;
}

/** The platform's spelling; null for an unknown zone. croner caches a formatter for every spelling that it gets. */
export function canonicalZone(timeZone: string): string | null {
  const known = canonicalNames.get(timeZone);
  if (known !== undefined) return known;
  try {
    const name = new Intl.DateTimeFormat("en-US", { timeZone }).resolvedOptions().timeZone;
    canonicalNames.set(timeZone, name);
    return name;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** `Berlin` and `europe-berlin` suggest Europe/Berlin. */
function suggestion(zone: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/gu, "");
  const wanted = plain(zone);
  if (wanted === "") return undefined;
  return Intl.supportedValuesOf("timeZone").find(
    (name) => plain(name) === wanted || plain(name.slice(name.lastIndexOf("/") + 1)) === wanted,
  );
}
