/**
 * The first path segments of the console's pages. For each the Worker answers with the console's one HTML page, which
 * then shows the right view; console/app/pages.ts has the views.
 */
export const CONSOLE_SEGMENTS = [
  "",
  "workflows",
  "executions",
  "agents",
  "pools",
  "connections",
  "incidents",
  "integrations",
  "maintenance",
  "settings",
  "help",
] as const;
