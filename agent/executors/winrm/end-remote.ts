import { setTimeout as pause } from "node:timers/promises";
import { WsmanFault } from "./faults.ts";
import type { WsmanSession } from "./session.ts";
import { closeShell, SHELL_IDLE_SECONDS, signalTerminate } from "./shell.ts";

/** The runner waits 10 s for a stopped job, and all of this must fit. */
const ENDING_MS = 7_000;
/** How long the last output of a terminated command may take. */
const LAST_OUTPUT_MS = 1_000;

export interface RemoteState {
  shellId: string | null;
  commandId: string | null;
}

/**
 * Ends a command and its shell over a second connection, because the first one waits for output or is lost. Returns a
 * sentence about the outcome, and never throws. `received` settles when the last output was read.
 */
export async function endRemote(
  { shellId, commandId }: RemoteState,
  { connect, received }: { connect: (signal: AbortSignal) => Promise<WsmanSession>; received: Promise<unknown> },
): Promise<string> {
  if (shellId === null) return "It is not known whether the host had begun the command.";
  const limit = new AbortController();
  const late = pause(ENDING_MS, undefined, { ref: false }).then(() => limit.abort());
  const unknown = `It may still run on the host, which ends it when no one has read its output for ${SHELL_IDLE_SECONDS} s.`;
  const end = async (): Promise<string> => {
    const session = await connect(limit.signal);
    limit.signal.addEventListener("abort", () => session.close());
    try {
      const terminated = commandId !== null && (await isTerminated(session, shellId, commandId));
      await Promise.race([received, pause(LAST_OUTPUT_MS, undefined, { ref: false })]);
      const deleted = await isDeleted(session, shellId);
      if (commandId === null) return "It was not begun; the shell made for it on the host was deleted.";
      if (deleted) return "The remote command was terminated and its shell deleted.";
      return terminated
        ? "The remote command was terminated, and the host has removed its shell."
        : "The host had already removed the remote command's shell, which ends the command.";
    } finally {
      session.close();
    }
  };
  return await Promise.race([end().catch(() => unknown), late.then(() => unknown)]);
}

/** If this fails, the end of the shell ends the command. */
async function isTerminated(session: WsmanSession, shellId: string, commandId: string): Promise<boolean> {
  return await signalTerminate(session, shellId, commandId).then(
    () => true,
    () => false,
  );
}

/** False when the host had already removed the shell, as it does after a long idle time. */
async function isDeleted(session: WsmanSession, shellId: string): Promise<boolean> {
  try {
    await closeShell(session, shellId);
    return true;
  } catch (error) {
    if (error instanceof WsmanFault && error.shellGone) return false;
    throw error;
  }
}
