/** What an overview reads of one list at most, a thousand: beyond it, nothing is claimed about the rest. */
export const PAGE_SIZE = 200;
export const PAGES_MAX = 5;

/** A count, or "200+" where it is not the whole. */
export function countOf(count: number, isWhole: boolean): string {
  return isWhole ? String(count) : `${count}+`;
}
