import { setTimeout as pause } from "node:timers/promises";
import type { WsmanSession } from "./session.ts";
import { closeShell, SHELL_IDLE_SECONDS, signalTerminate } from "./shell.ts";

/** The runner waits 10 s for a job that it stopped: all of it must fit. */
const ENDING_MS = 7_000;
/** How long the last output of a terminated command may take. */
const LAST_OUTPUT_MS = 1_000;

export interface RemoteState {
  shellId: string | null;
  commandId: string | null;
}

/**
 * Ends a command and its shell over a second connection, since the first one waits for output or is lost. Gives a
 * sentence that says what became of it, and never throws. `received` settles when the last output was read.
 */
export async function endRemote(
  { shellId, commandId }: RemoteState,
  { connect, received }: { connect: (signal: AbortSignal) => Promise<WsmanSession>; received: Promise<unknown> },
): Promise<string> {
  if (shellId === null) return "Whether the host had begun it is not known: it had not said so.";
  const limit = new AbortController();
  const late = pause(ENDING_MS, undefined, { ref: false }).then(() => limit.abort());
  const unknown = `It may still run on the host, which ends it when nobody asked for its output for ${SHELL_IDLE_SECONDS} s.`;
  const end = async (): Promise<string> => {
    const session = await connect(limit.signal);
    limit.signal.addEventListener("abort", () => session.close());
    try {
      if (commandId !== null) await signalTerminate(session, shellId, commandId).catch(() => undefined);
      await Promise.race([received, pause(LAST_OUTPUT_MS, undefined, { ref: false })]);
      await closeShell(session, shellId);
      return commandId === null
        ? "It was not begun; the shell made for it on the host was deleted."
        : "The remote command was terminated and its shell deleted.";
    } finally {
      session.close();
    }
  };
  return await Promise.race([end().catch(() => unknown), late.then(() => unknown)]);
}
