export { readControl } from "./read-control.ts";
export { readPauseIfPossible } from "./change-pause.ts";
