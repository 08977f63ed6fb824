import { writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { errorCode, errorMessage } from "../executors/shared/failures.ts";
import { frame, framesOf } from "./frames.ts";
import type { FrameKind } from "./frames.ts";
import { programsHere } from "./here.ts";
import type { RunningProgram } from "./program.ts";
import { readSmallFile } from "./read-small-file.ts";
import { startSystemdWatchdog } from "./systemd-watchdog.ts";

/** The agent's command that is a job's process; see agent/main.ts. */
export const JOB_COMMAND = "job-process";

/** Accounts that exist for one job at a time: what systemd gives away by DynamicUser=, and what the agent takes by itself. */
export const JOB_UIDS = { first: 61_184, last: 65_519 };
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
  const frames = framesOf(Bun.stdin.stream());
  send("ready");
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
  send("ended");
}

/** Null when nothing runs: a file was read, or the program could not be started. */
async function begin(order: Order, home: string): Promise<RunningProgram | null> {
  try {
    if ("read" in order) {
      const bytes = await readSmallFile(order.read, order.maxBytes);
      send("started");
      send("stdout", bytes);
      return null;
    }
    const directory = order.cwd === undefined && order.script === undefined ? { cwd: home } : {};
    const program = await programsHere(home).start({ ...order, ...directory, env: { HOME: home, ...order.env } });
    send("started");
    void pass(program.stdout, "stdout", "stdoutEnd");
    void pass(program.stderr, "stderr", "stderrEnd");
    void program.exited.then((exit) => send("exited", JSON.stringify(exit)));
    return program;
  } catch (error) {
    send("refused", JSON.stringify({ code: errorCode(error), message: errorMessage(error) }));
    return null;
  }
}

async function pass(stream: ReadableStream<Uint8Array>, kind: FrameKind, end: FrameKind): Promise<void> {
  for await (const chunk of stream) send(kind, chunk);
  send(end);
}

/** Writes to the agent and waits until it has taken everything; where the agent is gone, standard input says so, too. */
function send(kind: FrameKind, body: Uint8Array | string = ""): void {
  const bytes = frame(kind, body);
  for (let sent = 0; sent < bytes.length;) {
    try {
      sent += writeSync(1, bytes, sent);
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") return;
      Bun.sleepSync(RETRY_WRITE_MS);
    }
  }
}

/** Ends all other processes of this account, where it is a job's alone; never those of a person or of root. */
function killOthers(): void {
  const uid = process.getuid?.() ?? 0;
  if (uid < JOB_UIDS.first || uid > JOB_UIDS.last) return;
  try {
    process.kill(-1, "SIGKILL");
  } catch {
    // There were none.
  }
}
