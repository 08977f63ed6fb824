/** What other folders may import of executions. */
export { realClock, type StreamClock } from "./events-stream.ts";
export { definitionOf, versionOf } from "./version-of.ts";
