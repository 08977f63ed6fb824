/** What other folders may import of connections. */
export { reviewJobs } from "./review-jobs.ts";
export { viewConnections } from "./view.ts";
