import journal from "./migrations/meta/_journal.json" with { type: "json" };

const newest = journal.entries.reduce((a, b) => (b.when > a.when ? b : a));

/** The newest migration known to this code; a database records when each of its migrations was made (epoch ms). */
export const NEWEST_MIGRATION: { readonly tag: string; readonly when: number } = { tag: newest.tag, when: newest.when };
