/**
 * The coding of the answer, chosen from `available`, best first; null for none (RFC 9110, 12.5.3). Without the header
 * the plain file is sent: the client may not be able to unpack. Between equal weights the better coding wins.
 */
export function chooseCoding<C extends string>(acceptEncoding: string | undefined, available: readonly C[]): C | null {
  const weights = parseWeights(acceptEncoding ?? "");
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  // A client that prefers the plain file gives it a weight; otherwise any accepted coding is preferred.
  const identity = weights.get("identity") ?? 0;
  const [best] = available
    .filter((coding) => weightOf(coding) > 0)
    .filter((coding) => weightOf(coding) >= identity)
    .sort((a, b) => weightOf(b) - weightOf(a));
  return best ?? null;
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [, coding, q = "1"] =
      /^\s*([\w*.!#$%&'+^`|~-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/u.exec(part) ?? [];
    if (coding !== undefined) weights.set(coding === "x-gzip" ? "gzip" : coding, Number(q));
  }
  return weights;
}
