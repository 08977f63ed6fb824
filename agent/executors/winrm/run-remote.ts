import { setTimeout as pause } from "node:timers/promises";
import { CappedStream } from "../shared/capped-stream.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { type Streams, streamsOutput } from "../shared/streams-output.ts";
import { ClixmlDecoder } from "./clixml.ts";
import { endRemote, type RemoteState } from "./end-remote.ts";
import { WsmanFault } from "./faults.ts";
import type { WsmanSession } from "./session.ts";
import { closeShell, openShell, receive, send, startCommand } from "./shell.ts";

/** As base64 in an envelope, this is well within the limit of every host. */
const INPUT_CHUNK_BYTES = 64 * 1_024;
/** An operation in progress when the job is stopped may return an id that is needed to end the command. */
const UNDER_WAY_MS = 2_000;
const CLEAN_UP_MS = 5_000;

export interface RemoteProgram {
  commandLine: string;
  input: Buffer | null;
  environment: Readonly<Record<string, string>>;
}

export interface RemoteRun {
  connect: (signal: AbortSignal) => Promise<WsmanSession>;
  signal: AbortSignal;
  secrets: readonly string[];
}

/** Runs a program in a separate remote shell. An abort, or a lost connection, ends it there. */
export async function runRemote(
  program: RemoteProgram,
  run: RemoteRun,
): Promise<{ exitCode: number; streams: Streams }> {
  const session = await run.connect(run.signal);
  const work = new RemoteWork(program, session, run.secrets);
  const aborted = Promise.withResolvers<"aborted">();
  const onAbort = (): void => aborted.resolve("aborted");
  run.signal.addEventListener("abort", onAbort, { once: true });
  if (run.signal.aborted) onAbort();
  const done = work.run();
  try {
    const end = await Promise.race([done, aborted.promise]);
    if (end !== "aborted") {
      await Promise.race([closeShell(session, end.shellId).catch(() => undefined), within(CLEAN_UP_MS)]);
      return { exitCode: end.exitCode, streams: work.streams };
    }
    const settled = done.then(nothing, nothing);
    work.stopped = true;
    if (work.state.commandId === null) await Promise.race([settled, within(UNDER_WAY_MS)]);
    const state = await endRemote(work.state, { connect: run.connect, received: settled });
    throw jobEnded(state, streamsOutput(work.readStreams(), null));
  } catch (error) {
    if (!(error instanceof ExecutorFailure) || error.code === "job_ended") throw error;
    // The job is reported as failed, so everything that it began must end.
    const state = await endRemote(work.state, { connect: run.connect, received: Promise.resolve() });
    if (work.state.shellId === null && error.code !== "connection_lost") throw error;
    const output = work.state.commandId === null ? null : streamsOutput(work.readStreams(), null);
    throw new ExecutorFailure(error.code, `${error.message} ${state}`, output, { cause: error });
  } finally {
    run.signal.removeEventListener("abort", onAbort);
    session.close();
  }
}

class RemoteWork {
  readonly state: RemoteState = { shellId: null, commandId: null };
  readonly streams: Streams;
  /** Set when nothing new may begin. */
  stopped = false;
  readonly #clixml = new ClixmlDecoder();

  constructor(
    private readonly program: RemoteProgram,
    private readonly session: WsmanSession,
    secrets: readonly string[],
  ) {
    this.streams = { stdout: new CappedStream(secrets), stderr: new CappedStream(secrets) };
  }

  async run(): Promise<{ shellId: string; exitCode: number }> {
    const { session, program, state } = this;
    const shellId = await openShell(session, program.environment);
    state.shellId = shellId;
    this.#checkGoesOn();
    const commandId = await startCommand(session, shellId, program.commandLine);
    state.commandId = commandId;
    if (program.input === null) await this.#endInput({ shellId, commandId });
    else await this.#sendAll({ shellId, commandId }, program.input);
    for (;;) {
      const { stdout, stderr, exitCode } = await receive(session, shellId, commandId);
      for (const bytes of stdout) this.streams.stdout.push(bytes);
      for (const bytes of stderr) this.#pushText(this.#clixml.push(bytes));
      if (exitCode === null) continue;
      this.readStreams();
      return { shellId, exitCode };
    }
  }

  /** The streams, with the text that was held back for a possible continuation. */
  readStreams(): Streams {
    this.#pushText(this.#clixml.end());
    return this.streams;
  }

  async #sendAll(ids: { shellId: string; commandId: string }, input: Buffer): Promise<void> {
    for (let at = 0; at < input.length; at += INPUT_CHUNK_BYTES) {
      this.#checkGoesOn();
      const next = at + INPUT_CHUNK_BYTES;
      await send(this.session, ids, input.subarray(at, next), next >= input.length);
    }
  }

  /** Programs that read see the end immediately (`pause`, `set /p`, `sort`). Otherwise they would wait forever. */
  async #endInput(ids: { shellId: string; commandId: string }): Promise<void> {
    try {
      await send(this.session, ids, Buffer.alloc(0), true);
    } catch (error) {
      // A command that has already ended does not accept the end of its input.
      if (!(error instanceof WsmanFault)) throw error;
    }
  }

  #checkGoesOn(): void {
    if (this.stopped) throw jobEnded("It was stopped before it had begun.");
  }

  #pushText(text: string): void {
    if (text !== "") this.streams.stderr.push(new TextEncoder().encode(text));
  }
}

function nothing(): void {}

function within(milliseconds: number): Promise<void> {
  return pause(milliseconds, undefined, { ref: false });
}
