/** The parts of a receiver's address by which anyone could send to it: all but its origin. */
export function secretsIn(address: string): string[] {
  const { href, pathname, search, searchParams } = new URL(address);
  const whole = search === "" && pathname === "/" ? [] : [href, `${pathname}${search}`];
  return [...whole, search.slice(1), ...searchParams.values(), ...pathname.split("/")];
}
