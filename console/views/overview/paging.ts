/** The overview reads at most 1,000 rows of a list and claims nothing about further rows. */
export const PAGE_SIZE = 200;
export const PAGES_MAX = 5;

/** A count, or "200+" when the list is not complete. */
export function countOf(count: number, isWhole: boolean): string {
  return isWhole ? String(count) : `${count}+`;
}
