import type { ConnectionPool } from "./connection-pool.ts";
import { HranaError } from "./errors.ts";
import type { Pipeline } from "./hrana.ts";
import type { Stream } from "./stream.ts";
import type { StreamRegistry } from "./stream-registry.ts";
import type { GateOutcome, WriterGate } from "./writer-gate.ts";

export interface PipelineDeps {
  pool: ConnectionPool;
  gate: WriterGate;
  streams: StreamRegistry;
  writeWaitMs: number;
}

/**
 * Runs one pipeline and returns the body of its answer. While no other stream holds the gate, the pipeline does not
 * yield the thread, so a whole batch needs no further locking. Returns a promise only when it has to wait.
 */
export function runPipeline(
  { baton, requests }: Pipeline,
  caller: { readonly signal: AbortSignal },
  deps: PipelineDeps,
): string | Promise<string> {
  const isLast = requests.some(({ type }) => type === "close");
  if (!isLast) deps.streams.makeRoom();
  const stream = deps.streams.open(baton);
  const isOpen = deps.gate.isOpenTo(stream);
  if (isOpen || !stream.needsGate(requests)) return runNow(stream, requests, isOpen, deps);
  return deps.gate
    .enter(stream, deps.writeWaitMs, caller.signal)
    .then((outcome) => runAfterWaiting(stream, requests, outcome, deps));
}

function runAfterWaiting(
  stream: Stream,
  requests: Pipeline["requests"],
  outcome: GateOutcome,
  deps: PipelineDeps,
): string {
  switch (outcome) {
    case "entered":
      return runNow(stream, requests, true, deps);
    case "timed-out":
      // Not refused whole: the client gets the error at the statement that failed, and may continue its transaction.
      return runNow(stream, requests, false, deps);
    case "aborted":
      deps.streams.close(stream);
      throw new HranaError("ABORTED", "The client went away before its turn to write came; nothing was run", 499);
    case "closed":
      deps.streams.close(stream);
      throw new HranaError("STOPPING", "The database server is stopping; nothing was run", 503);
  }
}

function runNow(
  stream: Stream,
  requests: Pipeline["requests"],
  isWriteAllowed: boolean,
  { pool, gate, streams }: PipelineDeps,
): string {
  try {
    const connection = (stream.connection ??= pool.take());
    const results = stream.run(requests, connection, isWriteAllowed);
    let baton: string | null = null;
    if (stream.isClosed) {
      streams.close(stream);
    } else {
      if (connection.holdsWriteLock) gate.hold(stream);
      else gate.release(stream);
      baton = streams.park(stream);
    }
    return `{"baton":${JSON.stringify(baton)},"base_url":null,"results":${results}}`;
  } catch (error) {
    streams.close(stream);
    throw error;
  }
}
