/**
 * A path in the check of a forEach, as the node itself would name it; null for a path of `foreach`, which there is what
 * is known of the items so far. The forEach around is `foreach.parent`, as in the body.
 */
export function outsideCheck(path: readonly string[]): readonly string[] | null {
  if (path[0] !== "foreach") return path;
  return path[1] === "parent" ? ["foreach", ...path.slice(2)] : null;
}
