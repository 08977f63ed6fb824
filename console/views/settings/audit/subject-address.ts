const PAGES: Readonly<Record<string, string>> = {
  agent: "/agents",
  connection: "/connections",
  workflow: "/workflows",
  execution: "/executions",
  incident: "/incidents",
  "maintenance-window": "/maintenance",
};

/** The page of an entry's subject, or null when the subject has no page or the entry deleted it. */
export function subjectAddress(entry: { verb: string; subjectType: string; subjectId: string }): string | null {
  const page = PAGES[entry.subjectType];
  if (page === undefined || entry.verb === "delete") return null;
  return `${page}/${encodeURIComponent(entry.subjectId)}`;
}
