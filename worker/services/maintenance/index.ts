export { readWindows, readWindowsNow, windowOver } from "./read-windows.ts";
export type { ReadWindows } from "./read-windows.ts";
export { requireNoWindow } from "./require-no-window.ts";
