import { setTimeout as pause } from "node:timers/promises";
import { CappedStream } from "../shared/capped-stream.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { DRAIN_MS, noteEndedChildren } from "../shared/held-output.ts";
import type { Streams } from "../shared/streams-output.ts";
import type { SshConnection } from "./connect.ts";
import { connectionLost, endRemoteGroup, openShell } from "./end-remote.ts";
import type { RemoteProgram } from "./remote-program.ts";
import { StartGate } from "./start-gate.ts";

/** How long a sent program may take to report its start before it is ended. */
const START_WAIT_MS = 3_000;
const CLOSE_WAIT_MS = 1_000;

export interface RemoteEnd {
  exitCode: number | null;
  /** The signal that ended the remote shell itself, as SSH names it: `KILL`. */
  signal: string | null;
  streams: Streams;
  /** For an aborted job: a sentence about the state of the remote process group. */
  aborted: string | null;
}

export interface RemoteRun {
  connection: SshConnection;
  /** Whether the job has values, which need a host that runs the program. */
  hasValues: boolean;
  /** Opens a second connection, to end a process group when the first one does not answer. */
  reconnect: () => Promise<SshConnection>;
  signal: AbortSignal;
  secrets: readonly string[];
}

/** Runs a program on the host and waits for its end. An abort ends its process group there. */
export async function runRemote(program: RemoteProgram, run: RemoteRun): Promise<RemoteEnd> {
  const streams = { stdout: new CappedStream(run.secrets), stderr: new CappedStream(run.secrets) };
  const gate = new StartGate(program.mark, streams.stdout, run.secrets);
  const end: RemoteEnd = { exitCode: null, signal: null, streams, aborted: null };
  const exited = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<"closed">();
  const aborted = Promise.withResolvers<"aborted">();
  const onAbort = (): void => aborted.resolve("aborted");

  const onExit = (code: number | null, signal?: string): void => {
    end.exitCode = code;
    end.signal = signal ?? null;
    exited.resolve();
  };

  const channel = await openShell(run.connection, onExit).catch((error: unknown) => {
    const refused = run.hasValues && error instanceof ExecutorFailure && error.code === "remote_shell_failed";
    throw refused ? notRun(run, error.message, error) : error;
  });
  channel.on("data", (chunk: Buffer) => {
    gate.push(chunk);
    // No further output can arrive.
    if (gate.refusal === "line") closed.resolve("closed");
  });
  channel.stderr.on("data", (chunk: Buffer) => streams.stderr.push(chunk));
  channel.on("close", () => closed.resolve("closed"));
  void run.connection.lost.then(() => closed.resolve("closed"));
  run.signal.addEventListener("abort", onAbort, { once: true });
  if (run.signal.aborted) onAbort();
  try {
    channel.end(program.text);
    await Promise.race([exited.promise, closed.promise, aborted.promise]);
    const how = await Promise.race([closed.promise, aborted.promise, within(DRAIN_MS, "held" as const)]);
    if (how === "aborted") end.aborted = await endAborted(program, gate, run);
    if (how === "held" && gate.started !== null) {
      await endRemoteGroup(program.mark, gate.started, run.connection);
      noteEndedChildren(streams.stderr);
    }
    if (how !== "closed") await Promise.race([closed.promise, within(CLOSE_WAIT_MS, undefined)]);
  } finally {
    run.signal.removeEventListener("abort", onAbort);
  }
  if (end.aborted === null) await checkEnd(end, { program, gate, run });
  return end;
}

async function endAborted(program: RemoteProgram, gate: StartGate, run: RemoteRun): Promise<string> {
  const started = await Promise.race([gate.opened, within(START_WAIT_MS, null)]);
  if (started === null) return "It is not known whether the host had begun the command.";
  const ended = "Its process group on the host was ended.";
  if (await endRemoteGroup(program.mark, started, run.connection)) return ended;
  const second = await run.reconnect().catch(() => null);
  if (second !== null) {
    const gone = await endRemoteGroup(program.mark, started, second).finally(() => second.close());
    if (gone) return ended;
  }
  return `It may still run on the host: process group ${started.group ?? "unknown"} there could not be ended.`;
}

async function checkEnd(
  end: RemoteEnd,
  { program, gate, run }: { program: RemoteProgram; gate: StartGate; run: RemoteRun },
): Promise<void> {
  const exited = end.exitCode !== null || end.signal !== null;
  switch (gate.refusal) {
    case "interpreter":
      throw new ExecutorFailure(
        "interpreter_missing",
        "The host has no such interpreter on the PATH of this user. Install it there, or name another.",
      );
    case "directory":
      throw new ExecutorFailure(
        "remote_shell_failed",
        "The script could not be put on the host: neither /tmp (or TMPDIR) nor the user's home can be written. Check rights and free space there.",
      );
    case "env":
      throw new ExecutorFailure(
        "env_unsupported",
        `The host cannot give the script its variables (${program.names.join(", ")}): the shell there keeps one of these names for itself, or a program before the script drops it. Choose another name, or let the account run a plain sh.`,
      );
    case "line":
      throw notRun(run, gate.noise());
    case null:
      if (!exited) {
        const reason = await Promise.race([run.connection.lost, within(CLOSE_WAIT_MS, "the session was closed")]);
        throw connectionLost(
          reason,
          gate.started === null
            ? "It is not known whether the command had begun."
            : `The command may still run on the host, in process group ${gate.started.group ?? "unknown"}.`,
        );
      }
      if (gate.started !== null) return;
      throw notRun(run, gate.noise());
  }
}

function notRun({ hasValues }: RemoteRun, said: string, cause?: ExecutorFailure): ExecutorFailure {
  const [code, lacks] = hasValues
    ? ["env_unsupported", ", and so could not receive its values"]
    : ["remote_shell_failed", ""];
  const message = `The host did not run the command${lacks}: the account must be able to run sh. ${said}`;
  return new ExecutorFailure(code, message, null, { cause });
}

function within<T>(milliseconds: number, value: T): Promise<T> {
  return pause(milliseconds, value, { ref: false });
}
