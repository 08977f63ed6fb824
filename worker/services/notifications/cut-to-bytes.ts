/** The text, or its beginning and an ellipsis, in at most `maxBytes` of UTF-8 and the ellipsis. */
export function cutToBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return read === text.length ? text : `${text.slice(0, read)}…`;
}
