import { z } from "zod";
import { errorMessage } from "../executors/shared/failures.ts";
import { frame, framesOf } from "./frames.ts";
import type { Frame } from "./frames.ts";
import { ProgramError } from "./program.ts";
import type { ProgramExit, Programs, RunningProgram } from "./program.ts";

/** The limit for a process to be ready, and to start its program. */
const ANSWER_MS = 30_000;
/** The delay between the start of a program and the start of the spare process. */
const NEXT_AFTER_MS = 50;
const READY_ATTEMPTS = 3;
const SAID_MAX_CHARS = 300;
/** How much of each output is held until it is read. */
const HELD_MAX_BYTES = 262_144;
/** A job process has 2 s for each of the two ways to end a program. */
const END_MS = 4_000;
/** The reported exit of a program whose process was killed before it could report one. */
const KILLED: ProgramExit = { exitCode: 137, signal: "SIGKILL" };

/** The connection to one job process. */
export interface JobChannel {
  /** Ends when the process is gone. */
  chunks: AsyncIterable<Uint8Array>;
  readonly isOpen: boolean;
  send(bytes: Uint8Array): void;
  /** Ends the process and everything that it started. */
  close(): void;
  /** What the process wrote to standard error, after it has ended. */
  said?(): Promise<string>;
}

interface JobProcess {
  channel: JobChannel;
  frames: AsyncGenerator<Frame, void>;
}

const exitSchema = z.object({ exitCode: z.number(), signal: z.string().nullable() });
const refusedSchema = z.object({ code: z.string(), message: z.string() });

/**
 * Runs each program of a job in a process of another account (`job-process.ts`). A spare process is kept ready, so that
 * a job does not wait for it to start.
 */
export class HostedPrograms implements Programs {
  readonly otherAccount = true;
  #spare: Promise<JobProcess> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly openChannel: () => Promise<JobChannel>) {}

  readonly start: Programs["start"] = async (order) => programOf(await this.#give(order));

  readonly readFile: Programs["readFile"] = async (path, maxBytes) => {
    const { channel, frames } = await this.#give({ read: path, maxBytes });
    try {
      let read = Buffer.alloc(0);
      for await (const { kind, body } of frames) {
        if (kind === "ended") return read;
        if (kind === "stdout") read = Buffer.concat([read, body]);
        if (read.length > maxBytes) throw new ProgramError("too_large", `has more than ${maxBytes} bytes`);
      }
      // A part of a token or a certificate would fail later, with a misleading error.
      throw new ProgramError("job_process", "the process of the job ended before it had read the whole file");
    } finally {
      channel.close();
    }
  };

  /** Starts the spare process. Rejects when that is not possible. */
  async prepare(): Promise<void> {
    this.#spare ??= this.#makeReady();
    const spare = this.#spare;
    try {
      await spare;
    } catch (error) {
      if (this.#spare === spare) this.#spare = null;
      throw error;
    }
  }

  /** Ends the spare process. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    const spare = this.#spare;
    this.#spare = null;
    (await spare?.catch(() => null))?.channel.close();
  }

  async #give(order: object): Promise<JobProcess> {
    const job = await this.#take();
    job.channel.send(frame("order", JSON.stringify(order)));
    const answer = await nextFrame(job);
    if (answer?.kind === "started") {
      this.#prepareSoon();
      return job;
    }
    job.channel.close();
    if (answer?.kind === "refused") {
      const { code, message } = refusedSchema.parse(JSON.parse(Buffer.from(answer.body).toString("utf8")));
      throw new ProgramError(code, message);
    }
    throw new ProgramError("job_process", "the process of the job ended before it started the program");
  }

  /** Waits, so that the current job gets the processor first. */
  #prepareSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.prepare().catch(() => undefined), NEXT_AFTER_MS);
  }

  async #take(): Promise<JobProcess> {
    const spare = this.#spare;
    this.#spare = null;
    const ready = await spare?.catch(() => null);
    return ready?.channel.isOpen === true ? ready : await this.#makeReady();
  }

  /** systemd rejects a connection while it ends the socket's previous job. No order was sent, so another is tried. */
  async #makeReady(attempt = 1): Promise<JobProcess> {
    const channel = await this.openChannel().catch((error: unknown) => {
      throw noProcess(errorMessage(error));
    });
    const job = { channel, frames: framesOf(channel.chunks) };
    if ((await nextFrame(job))?.kind === "ready") return job;
    channel.close();
    const said = (await channel.said?.())?.trim().slice(0, SAID_MAX_CHARS) ?? "";
    if (said === "" && attempt < READY_ATTEMPTS) return this.#makeReady(attempt + 1);
    throw noProcess(
      said || "it ended before it was ready; under systemd, journalctl -u 'bellhop-job@*' has the reason",
    );
  }
}

function noProcess(why: string): ProgramError {
  return new ProgramError("job_process", `no process under another account could be started for the job: ${why}`);
}

/** Null when the process ended. On a time-out, ends the process and throws `job_process`. */
async function nextFrame({ channel, frames }: JobProcess): Promise<Frame | null> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const silent = `the process of the job gave no answer within ${ANSWER_MS / 1_000} s: check the load of the machine and its mounted file systems`;
  const timer = setTimeout(() => reject(new ProgramError("job_process", silent)), ANSWER_MS);
  try {
    const next = await Promise.race([frames.next(), late]);
    return next.done === true ? null : next.value;
  } catch (error) {
    channel.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function programOf({ channel, frames }: JobProcess): RunningProgram {
  const [stdout, stderr] = [outlet(), outlet()];
  const { promise: exited, resolve: exit } = Promise.withResolvers<ProgramExit>();
  const read = async (): Promise<void> => {
    try {
      for await (const { kind, body } of frames) {
        if (kind === "stdout") await stdout.push(body);
        if (kind === "stderr") await stderr.push(body);
        if (kind === "stdoutEnd") stdout.end();
        if (kind === "stderrEnd") stderr.end();
        if (kind === "exited") exit(exitSchema.parse(JSON.parse(Buffer.from(body).toString("utf8"))));
      }
    } finally {
      exit(KILLED);
      stdout.end();
      stderr.end();
    }
  };
  const gone = read().catch(() => channel.close());
  const giveUp = (): void => {
    channel.close();
    stdout.end();
    stderr.end();
  };
  return {
    stdout: stdout.stream,
    stderr: stderr.stream,
    exited,
    end: async () => {
      channel.send(frame("stop"));
      // A job can stop (SIGSTOP) the process that has to end it. Then systemd, or the process that started it, ends
      // both.
      const timer = setTimeout(giveUp, END_MS);
      await gone;
      clearTimeout(timer);
    },
    close: async () => giveUp(),
  };
}

interface Outlet {
  stream: ReadableStream<Uint8Array>;
  /** Resolves when the stream has room for more, or no longer has a reader. A slow reader slows the job down. */
  push(bytes: Uint8Array): Promise<void>;
  end(): void;
}

function outlet(): Outlet {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let room = Promise.withResolvers<void>();
  const drop = (): void => {
    controller = null;
    room.resolve();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
      },
      pull: () => room.resolve(),
      cancel: drop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HELD_MAX_BYTES }),
  );
  return {
    stream,
    push: async (bytes) => {
      controller?.enqueue(new Uint8Array(bytes));
      if (controller === null || (controller.desiredSize ?? 0) > 0) return;
      room = Promise.withResolvers();
      await room.promise;
    },
    end: () => {
      controller?.close();
      drop();
    },
  };
}
