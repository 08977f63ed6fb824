/**
 * The first segments of the console's addresses. The Worker answers them with the console's page, which finds out by
 * itself what to show; console/app/pages.ts has what stands behind each.
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
  "settings",
] as const;
