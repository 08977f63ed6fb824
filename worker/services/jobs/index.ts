/** What other folders may import of jobs. */
export { getJob, getJobsOfEnded } from "./get.ts";
export { liveJobStates } from "./live-states.ts";
export { toTimeline } from "./timeline.ts";
