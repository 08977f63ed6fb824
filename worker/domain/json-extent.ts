/**
 * A JSON text's depth and number of values; an empty list or object counts as two. Called before parsing, so that deep
 * nesting never reaches a parser's recursion.
 */
export function jsonExtent(text: string): { depth: number; values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x2c) values += 1;
    else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      values += 1;
      deepest = Math.max(deepest, depth);
    } else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return { depth: deepest, values };
}
