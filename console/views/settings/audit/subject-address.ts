const PAGES: Readonly<Record<string, string>> = {
  agent: "/agents",
  connection: "/connections",
  workflow: "/workflows",
  execution: "/executions",
  incident: "/incidents",
};

/** The page of what an entry is about; null when it has none, or is gone by this very entry. */
export function subjectAddress(entry: { verb: string; subjectType: string; subjectId: string }): string | null {
  const page = PAGES[entry.subjectType];
  if (page === undefined || entry.verb === "delete") return null;
  return `${page}/${encodeURIComponent(entry.subjectId)}`;
}
