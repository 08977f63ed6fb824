/** What other folders may import of schedule. */
export { isSameSchedule, nextRunOf } from "./next-run-of.ts";
