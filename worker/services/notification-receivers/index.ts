/** What other folders may import of receivers. */
export { tryReceiver } from "./try-receiver.ts";
