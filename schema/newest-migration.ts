import journal from "./migrations/meta/_journal.json" with { type: "json" };

const newest = journal.entries.reduce((a, b) => (b.when > a.when ? b : a));

/** The last change of the schema that this code was written for; a database notes when each was made (epoch ms). */
export const NEWEST_MIGRATION: { readonly tag: string; readonly when: number } = { tag: newest.tag, when: newest.when };
