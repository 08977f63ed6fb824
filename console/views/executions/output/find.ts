export interface Found {
  from: number;
  to: number;
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/gu;

/** The places of a text, in order, in any case. They do not overlap. */
export function findAll(text: string, wanted: string): Found[] {
  if (wanted === "") return [];
  const pattern = new RegExp(wanted.replaceAll(SYNTAX, String.raw`\$&`), "giu");
  return Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({ from: index, to: index + length }));
}
