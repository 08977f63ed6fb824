/** The Timeline tab of an execution. */
export const executionTimeline = {
  tabs: "The steps as",
  graph: "Graph",
  timeline: "Timeline",
  label: "Timeline of the steps",
  steps: "Steps by time",
  zoomIn: "Zoom in (+)",
  zoomOut: "Zoom out (−)",
  showAll: "Show the whole run (0)",
  help: "Ctrl or Cmd with the wheel zooms. Drag, or press ← and →, to move.",
  item: (number: string) => `Item ${number}`,
  itemOf: (number: string, title: string) => `Item ${number} of ${title}`,
  inside: (title: string) => `Steps of ${title}`,
  kept: "kept from the earlier run",
  notReached: "not reached",
  /** A row for screen readers: "Restart nginx: succeeded, waited 2 s, ran 12 s, on the critical path". */
  row: (title: string, facts: readonly (string | null)[]) =>
    `${title}: ${facts.filter((fact) => fact !== null).join(", ")}`,
  waited: (time: string) => `waited ${time}`,
  ran: (time: string) => `ran ${time}`,
  earlier: (time: string) => `earlier attempts ${time}`,
  took: (time: string) => `took ${time}`,
  onCriticalPath: "on the critical path",
  legend: {
    waiting: "Waiting",
    running: "Running",
    earlier: "Earlier attempts",
    critical: "Critical path: these steps decide how long the run takes",
  },
};
