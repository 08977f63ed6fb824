/** What other folders may import of sessions. */
export { startSession, type StartedSession } from "./start.ts";
