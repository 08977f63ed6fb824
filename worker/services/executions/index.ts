/** What other folders may import of executions. */
export { excludedFrom, whyNotAnswerer } from "./answerers.ts";
export { realClock, type StreamClock } from "./events-stream.ts";
export { runnableNow } from "./run-snapshot.ts";
export { definitionOf, versionOf } from "./version-of.ts";
export { waitingOf } from "./waiting.ts";
