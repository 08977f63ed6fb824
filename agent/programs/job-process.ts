import { dlopen, FFIType } from "bun:ffi";
import { constants, mkdirSync, mkdtempSync, writeFileSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { errorCode, errorMessage } from "../executors/shared/failures.ts";
import { LAST_OUTPUT_MS } from "../executors/shared/held-output.ts";
import { isJobUid } from "../isolation/job-uids.ts";
import { clearKeyrings } from "./clear-keyrings.ts";
import { frame, framesOf } from "./frames.ts";
import type { FrameKind } from "./frames.ts";
import { startingHere, startingIn } from "./here.ts";
import type { ProgramOrder, RunningProgram } from "./program.ts";
import { readSmallFile } from "./read-small-file.ts";
import { scriptText } from "./script-file.ts";
import { startSystemdWatchdog } from "./systemd-watchdog.ts";

/** The agent's command for a job process; see agent/main.ts. */
export const JOB_COMMAND = "job-process";

const RETRY_WRITE_MS = 1;

const orderSchema = z.union([
  z.object({
    argv: z.array(z.string()),
    env: z.record(z.string(), z.string()),
    cwd: z.string().optional(),
    script: z.object({ fileName: z.string(), text: z.string() }).optional(),
    stdin: z.string().optional(),
    mark: z.string(),
  }),
  z.object({ read: z.string(), maxBytes: z.number() }),
]);
type Order = z.infer<typeof orderSchema>;

/**
 * A process of the job account. It reads one order from standard input, starts the program, and forwards its output and
 * exit. It ends everything that the program started when the agent asks for it or is gone.
 */
export async function serveJob(): Promise<void> {
  startSystemdWatchdog();
  // Processes that an earlier job of this account may have left.
  killOthers();
  if (isJobUid(process.getuid?.() ?? 0)) clearKeyrings();
  dontBlock(1);
  const place = makePlace();
  await rehearse(place);
  const frames = framesOf(Bun.stdin.stream());
  void send("ready");
  const first = await frames.next().catch(() => null);
  const begun = first?.value?.kind === "order" ? await begin(parsed(first.value.body), place) : null;
  if (begun !== null) {
    await frames.next().catch(() => undefined);
    await begun.program.end("everything");
    killOthers();
    // What the program wrote last is still in its pipes; a process that could not be ended may hold them open.
    // The limit does not count the time until a busy agent takes what was read.
    await sent;
    await Promise.race([begun.reported, pause(LAST_OUTPUT_MS, undefined, { ref: false })]);
  }
  await rm(place.all, { recursive: true, force: true }).catch(() => undefined);
  await send("ended");
}

/** Directories of the job: `home` and `work` are empty, its script is next to them. */
interface Place {
  all: string;
  home: string;
  work: string;
}

function makePlace(): Place {
  const all = mkdtempSync(join(tmpdir(), "bellhop-job-"));
  const place = { all, home: join(all, "home"), work: join(all, "work") };
  mkdirSync(place.home, { mode: 0o700 });
  mkdirSync(place.work, { mode: 0o700 });
  return place;
}

/**
 * Starts a program once before a job waits for it: the runtime loads parts of itself at first use, which takes longer
 * than the use.
 */
async function rehearse(place: Place): Promise<void> {
  const script = { fileName: "rehearsal", text: "echo" };
  const order = parsed(Buffer.from(JSON.stringify({ argv: ["/bin/sh"], env: {}, script, mark: "rehearsal" })));
  if ("read" in order) return;
  // Without that program only the time gained is lost.
  const program = await startIn(place, order).catch(() => null);
  if (program !== null) await Promise.all([program.exited, Bun.readableStreamToText(program.stdout)]);
}

function parsed(body: Uint8Array): Order {
  return orderSchema.parse(JSON.parse(Buffer.from(body).toString("utf8")));
}

interface Begun {
  program: RunningProgram;
  /** Settles when the agent was sent all output and the exit. */
  reported: Promise<unknown>;
}

/** Null when no program runs: a file was read, or the program could not be started. */
async function begin(order: Order, place: Place): Promise<Begun | null> {
  try {
    if ("read" in order) {
      const bytes = await readSmallFile(order.read, order.maxBytes);
      void send("started");
      await send("stdout", bytes);
      return null;
    }
    const program = await startIn(place, order);
    void send("started");
    const reported = Promise.allSettled([
      pass(program.stdout, "stdout", "stdoutEnd"),
      pass(program.stderr, "stderr", "stderrEnd"),
      program.exited.then((exit) => send("exited", JSON.stringify(exit))),
    ]);
    return { program, reported };
  } catch (error) {
    await send("refused", JSON.stringify({ code: errorCode(error), message: errorMessage(error) }));
    return null;
  }
}

/** No other process has this directory, so synchronous writes need no checks. */
async function startIn({ all, home, work }: Place, { script, ...order }: ProgramOrder): Promise<RunningProgram> {
  const argv = [...order.argv];
  if (script !== undefined) {
    const path = join(all, script.fileName);
    writeFileSync(path, scriptText(script), { mode: 0o600, flag: "wx" });
    argv.push(path);
  }
  const env = { HOME: home, ...order.env };
  if (order.cwd !== undefined) return startingHere({ ...order, argv, env });
  return startingIn({ ...order, argv, env, cwd: script === undefined ? home : work });
}

async function pass(stream: ReadableStream<Uint8Array>, kind: FrameKind, end: FrameKind): Promise<void> {
  for await (const chunk of stream) await send(kind, chunk);
  await send(end);
}

let sent: Promise<void> = Promise.resolve();

/** Resolves when the agent has taken everything. When the agent is gone, standard input ends as well. */
function send(kind: FrameKind, body: Uint8Array | string = ""): Promise<void> {
  const bytes = frame(kind, body);
  sent = sent.then(() => writeAll(bytes));
  return sent;
}

/**
 * The agent may read slowly. The event loop keeps running meanwhile: it receives the order to end, and answers
 * systemd's watchdog.
 */
async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") return;
      await pause(RETRY_WRITE_MS);
    }
  }
}

const F_SETFL = 4;

/** Makes writes fail with EAGAIN instead of waiting (fcntl(2)). */
function dontBlock(descriptor: number): void {
  if (process.platform !== "linux") return;
  const { i32, i64 } = FFIType;
  const { fcntl } = dlopen("libc.so.6", { fcntl: { args: [i32, i32, i64], returns: i32 } }).symbols;
  fcntl(descriptor, F_SETFL, constants.O_NONBLOCK);
}

/** Ends all other processes of this account if it belongs to one job, never those of a person or of root. */
function killOthers(): void {
  if (!isJobUid(process.getuid?.() ?? 0)) return;
  try {
    process.kill(-1, "SIGKILL");
  } catch {
    // There were none.
  }
}
