import { setTimeout as pause } from "node:timers/promises";
import type { ProgramExit, ProgramOrder, StartProgram } from "../../programs/program.ts";
import { CappedStream } from "./capped-stream.ts";
import { DRAIN_MS, LAST_OUTPUT_MS, noteEndedChildren } from "./held-output.ts";
import type { Streams } from "./streams-output.ts";

export interface ProgramEnd extends ProgramExit {
  streams: Streams;
  /** Whether the program was ended because `signal` was aborted. */
  aborted: boolean;
}

interface RunOptions extends Omit<ProgramOrder, "argv" | "mark"> {
  /** The job's mark, if its processes must be found after the agent was killed. By default a random one. */
  mark?: string;
  signal: AbortSignal;
  secrets: readonly string[];
}

/**
 * Runs a program to its end. When `signal` is aborted, ends everything that the program started, and settles when that
 * is gone. Children that outlive the program keep running unless they hold its output open.
 */
export async function runProcessGroup(
  start: StartProgram,
  argv: readonly string[],
  { signal, secrets, mark = crypto.randomUUID(), ...order }: RunOptions,
): Promise<ProgramEnd> {
  const program = await start({ ...order, argv, mark });
  const streams = { stdout: new CappedStream(secrets), stderr: new CappedStream(secrets) };
  const drains = [drain(program.stdout, streams.stdout), drain(program.stderr, streams.stderr)];
  const drained = Promise.all(drains.map(({ done }) => done));
  const aborting = abortion(signal);
  try {
    await Promise.race([program.exited, aborting.promise]);
    const how = await Promise.race([
      Promise.all([program.exited, drained]).then(() => "complete" as const),
      aborting.promise,
      pause(DRAIN_MS, "held" as const, { ref: false }),
    ]);
    if (how !== "complete") {
      await program.end(how === "aborted" ? "everything" : "group");
      // A process that left the group (setsid) and removed the mark can still hold the output.
      await Promise.race([drained, pause(LAST_OUTPUT_MS, undefined, { ref: false })]);
    }
    if (how === "held") noteEndedChildren(streams.stderr);
    return { ...(await program.exited), streams, aborted: how === "aborted" };
  } finally {
    aborting.stop();
    for (const { cancel } of drains) cancel();
    await program.close();
  }
}

function drain(stream: ReadableStream<Uint8Array>, into: CappedStream): { done: Promise<void>; cancel: () => void } {
  const reader = stream.getReader();
  const readAll = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      into.push(value);
    }
  };
  return { done: readAll(), cancel: () => void reader.cancel() };
}

function abortion(signal: AbortSignal): { promise: Promise<"aborted">; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<"aborted">();
  const onAbort = (): void => resolve("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return { promise, stop: () => signal.removeEventListener("abort", onAbort) };
}
