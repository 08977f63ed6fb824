export { oldestTime } from "./oldest.ts";
export { readPeriods } from "./periods.ts";
