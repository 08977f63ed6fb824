/**
 * Whether a text is a path of this deployment that no browser reads as another site: `//elsewhere`, `/\elsewhere`, or
 * the same hidden by characters that URL parsers drop.
 */
export function isLocalPath(text: string): boolean {
  return /^\/(?![/\\])[\u0021-\u005b\u005d-\u007e]*$/u.test(text);
}
