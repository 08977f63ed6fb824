import type { CappedStream } from "./capped-stream.ts";

/** How long output may stay open after the program has ended: a background child could hold it forever. */
export const DRAIN_MS = 2_000;
/** How long output is still read after the processes that held it open were ended. */
export const LAST_OUTPUT_MS = 500;

/** Explains, in the output, why a background process was ended. */
export function noteEndedChildren(stderr: CappedStream): void {
  const note =
    `\n[A background process still used the output ${DRAIN_MS / 1_000} s after the program had ended, so the agent ` +
    "ended it. Redirect the output of a process that must stay.]\n";
  stderr.push(new TextEncoder().encode(note));
}
