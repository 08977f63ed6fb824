/** What other objects may import of the Notifier. */
export { Notifier } from "./notifier.ts";
export { NOTICES } from "./patience.ts";
export type { NotifierPorts } from "./ports.ts";
export type { NotifierStorage } from "./storage.ts";
