import { join } from "node:path";
import { CONCURRENT_JOBS_MAX } from "../../schema/limits.ts";
import { errorMessage } from "../executors/shared/failures.ts";
import { unitChannel } from "../programs/channels.ts";
import type { JobChannel } from "../programs/hosted.ts";
import { ProgramError } from "../programs/program.ts";

/** The names of the sockets. A job may need two at a time: for its program, and for a file of its connection. */
export const JOB_SLOTS: readonly string[] = Array.from({ length: CONCURRENT_JOBS_MAX * 2 }, (_, index) =>
  String(index + 1),
);

export function slotSocket(directory: string, slot: string): string {
  return join(directory, `${slot}.socket`);
}

/**
 * Opens a channel behind an unused socket. systemd runs one process at a time behind each socket, as an account with
 * the socket's number. The sockets take turns, because systemd may still be ending the last job of one.
 */
export function slotChannels(directory: string, open = unitChannel): () => Promise<JobChannel> {
  let queue = JOB_SLOTS;
  const opening = new Set<string>();
  const channels = new Map<string, JobChannel>();
  return async () => {
    let why = "all sockets for jobs are in use";
    for (const slot of queue) {
      if (channels.get(slot)?.isOpen === true || opening.has(slot)) continue;
      queue = [...queue.filter((other) => other !== slot), slot];
      opening.add(slot);
      try {
        const channel = await open(slotSocket(directory, slot));
        channels.set(slot, channel);
        return channel;
      } catch (error) {
        why = errorMessage(error);
      } finally {
        opening.delete(slot);
      }
    }
    throw new ProgramError("job_process", why);
  };
}
