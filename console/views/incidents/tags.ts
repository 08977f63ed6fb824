/** Reads tags from lines of `name=value`, or returns the first invalid line. */
export function readTags(text: string): { tags: Record<string, string> } | { wrongLine: string } {
  const tags: Record<string, string> = {};
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const at = line.indexOf("=");
    if (at < 1 || line.slice(0, at).trim() === "") return { wrongLine: line.trim() };
    tags[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return { tags };
}
