export * from "./agents.ts";
export * from "./audit.ts";
export * from "./connections.ts";
export * from "./executions.ts";
export * from "./incidents.ts";
export * from "./jobs.ts";
export * from "./people.ts";
export * from "./workflows.ts";
