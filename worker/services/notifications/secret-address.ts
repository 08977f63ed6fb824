/** Shorter parts of a path are words, such as `services`. */
const PATH_SECRET_MIN_CHARS = 16;

/** The parts of a receiver's address by which anyone could send to it. */
export function secretsIn(address: string): string[] {
  const { href, pathname, search, searchParams } = new URL(address);
  const segments = pathname.split("/").filter(mayBeSecret);
  const whole = search === "" && segments.length === 0 ? [] : [href, `${pathname}${search}`];
  return [...whole, search.slice(1), ...searchParams.values(), ...segments];
}

/** The address without those parts. */
export function shownAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const path = pathname.split("/").map((segment) => (mayBeSecret(segment) ? "…" : segment));
  return `${origin}${path.join("/")}${search === "" ? "" : "?…"}`;
}

function mayBeSecret(segment: string): boolean {
  return segment.length >= PATH_SECRET_MIN_CHARS;
}
