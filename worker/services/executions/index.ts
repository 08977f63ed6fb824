/** What other folders may import of executions. */
export { getExecution } from "./get.ts";
export { excludedFrom, whyNotAnswerer } from "./answerers.ts";
export { realClock, type StreamClock } from "./events-stream.ts";
export { findStartedExecution } from "./find-started.ts";
export { repeatExecution } from "./retry.ts";
export { runnableNow } from "./run-snapshot.ts";
export { definitionOf, versionOf } from "./version-of.ts";
export { toSummary } from "./view.ts";
export type { StreamAccess } from "./while-allowed.ts";
export { waitingOf } from "./waiting.ts";
