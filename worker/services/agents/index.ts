/** What other folders may import of agents. */
export { viewAgents } from "./view.ts";
