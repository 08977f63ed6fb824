export { oldestTime } from "./oldest.ts";
export { readPeriods } from "./periods.ts";
export { forgetPortions } from "./export-first.ts";
export { readExports } from "./read.ts";
