/** A path, quoted so that a person can paste it into a shell. */
export function inShell(path: string): string {
  return /^[\w./:@+-]+$/u.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
