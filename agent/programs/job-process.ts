import { write } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { errorCode, errorMessage } from "../executors/shared/failures.ts";
import { isJobUid } from "../isolation/job-uids.ts";
import { clearKeyrings } from "./clear-keyrings.ts";
import { frame, framesOf } from "./frames.ts";
import type { FrameKind } from "./frames.ts";
import { programsHere } from "./here.ts";
import type { RunningProgram } from "./program.ts";
import { readSmallFile } from "./read-small-file.ts";
import { startSystemdWatchdog } from "./systemd-watchdog.ts";

/** The agent's command that is a job's process; see agent/main.ts. */
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
 * A process of the account that jobs have: it takes one order on its standard input, starts the program, and passes on
 * its output and its end. It ends everything that the program started when the agent says so, and when the agent is gone.
 */
export async function serveJob(): Promise<void> {
  startSystemdWatchdog();
  // What an earlier job of this account may have left.
  killOthers();
  if (isJobUid(process.getuid?.() ?? 0)) clearKeyrings();
  const frames = framesOf(Bun.stdin.stream());
  void send("ready");
  const first = await frames.next();
  if (first.done === true || first.value.kind !== "order") return;
  const home = await mkdtemp(join(tmpdir(), "bellhop-job-"));
  const program = await begin(orderSchema.parse(JSON.parse(Buffer.from(first.value.body).toString("utf8"))), home);
  if (program !== null) {
    await frames.next().catch(() => undefined);
    await program.end("everything");
    killOthers();
  }
  await rm(home, { recursive: true, force: true }).catch(() => undefined);
  await send("ended");
}

/** Null when nothing runs: a file was read, or the program could not be started. */
async function begin(order: Order, home: string): Promise<RunningProgram | null> {
  try {
    if ("read" in order) {
      const bytes = await readSmallFile(order.read, order.maxBytes);
      void send("started");
      await send("stdout", bytes);
      return null;
    }
    const directory = order.cwd === undefined && order.script === undefined ? { cwd: home } : {};
    const program = await programsHere(home).start({ ...order, ...directory, env: { HOME: home, ...order.env } });
    void send("started");
    void pass(program.stdout, "stdout", "stdoutEnd");
    void pass(program.stderr, "stderr", "stderrEnd");
    void program.exited.then((exit) => send("exited", JSON.stringify(exit)));
    return program;
  } catch (error) {
    await send("refused", JSON.stringify({ code: errorCode(error), message: errorMessage(error) }));
    return null;
  }
}

async function pass(stream: ReadableStream<Uint8Array>, kind: FrameKind, end: FrameKind): Promise<void> {
  for await (const chunk of stream) await send(kind, chunk);
  await send(end);
}

let sent: Promise<void> = Promise.resolve();

/** Fulfilled when the agent has taken everything; where the agent is gone, standard input says so, too. */
function send(kind: FrameKind, body: Uint8Array | string = ""): Promise<void> {
  const bytes = frame(kind, body);
  sent = sent.then(() => writeAll(bytes));
  return sent;
}

const writeSome = promisify(write);

/** The agent may be slow to read. This thread goes on meanwhile: it hears when it is to end, and tells systemd that it lives. */
async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += (await writeSome(1, bytes, at)).bytesWritten;
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") return;
      await pause(RETRY_WRITE_MS);
    }
  }
}

/** Ends all other processes of this account, where it is a job's alone; never those of a person or of root. */
function killOthers(): void {
  if (!isJobUid(process.getuid?.() ?? 0)) return;
  try {
    process.kill(-1, "SIGKILL");
  } catch {
    // There were none.
  }
}
