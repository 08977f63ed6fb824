const MAX_CHARS = 64;

/** An id that nobody has yet: `restart-1`, `restart-2`. One that ends in a number is counted on from it. */
export function freshId(base: string, taken: ReadonlySet<string>): string {
  const stem = base.replace(/-\d+$/u, "").slice(0, MAX_CHARS - 5) || "node";
  for (let number = 1; ; number += 1) {
    const id = `${stem}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** `restartService` as it stands in an id: `restart-service`. */
export function kebab(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/gu, "$1-$2").toLowerCase();
}
