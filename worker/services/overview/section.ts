/** The first items; the query reads one row more than `limit`, which says whether there are others. */
export function toSection<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): { items: Item[]; more: boolean } {
  return { items: rows.slice(0, limit).map(toItem), more: rows.length > limit };
}

export function toIso(at: number): string {
  return new Date(at).toISOString();
}
