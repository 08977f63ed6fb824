const MAX_CHARS = 64;

/** An unused id: `restart-1`, `restart-2`. A number at the end of `base` is replaced. */
export function freshId(base: string, taken: ReadonlySet<string>): string {
  const stem = base.replace(/-\d+$/u, "").slice(0, MAX_CHARS - 5) || "node";
  for (let number = 1; ; number += 1) {
    const id = `${stem}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** `restartService` as part of an id: `restart-service`. */
export function kebab(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/gu, "$1-$2").toLowerCase();
}
