/** What other folders may import of connections. */
export { viewConnections } from "./view.ts";
