export { oldestTime } from "./oldest.ts";
