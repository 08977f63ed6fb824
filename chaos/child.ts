import { appendFileSync, closeSync, openSync } from "node:fs";

export interface ChildOptions {
  name: string;
  command: string[];
  cwd: string;
  env: Record<string, string>;
  /** Standard output and error, appended. */
  logFile: string;
  /** The first line on its standard input: secrets must not be in a command line. */
  firstLine?: string;
  /** The line of its output that marks it as ready; null for no wait. */
  ready: RegExp | null;
}

/** How a process ended. */
export interface ChildEnd {
  at: number;
  code: number | null;
  signal: number | string | null;
  /** True when this process had not asked for the end. */
  unexpected: boolean;
}

const READY_WITHIN_MS = 30_000;
const living = new Set<Child>();

/** For an aborted run: each child leads its own group, so Ctrl-C does not reach it. */
export async function killChildren(): Promise<void> {
  await Promise.all([...living].map((child) => child.kill()));
}

/**
 * A program that can be killed, stopped and started again at any moment. It leads a process group, so that its own
 * children (workerd) end with it.
 */
export class Child {
  readonly name: string;
  readonly ends: ChildEnd[] = [];
  #options: ChildOptions;
  #process: Bun.Subprocess<"pipe"> | null = null;
  #expected = new Set<number>();
  #exited: Promise<void> = Promise.resolve();

  constructor(options: ChildOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get running(): boolean {
    return this.#process !== null;
  }

  /** Applies from the next start. */
  change(changes: Partial<ChildOptions>): void {
    this.#options = { ...this.#options, ...changes };
  }

  /** Starts it, and returns the match of `ready` in its output. */
  async start(): Promise<RegExpExecArray | null> {
    if (this.#process !== null) throw new Error(`${this.name} runs already`);
    const { command, cwd, env, logFile, firstLine, ready } = this.#options;
    const from = Bun.file(logFile).size;
    const log = openSync(logFile, "a", 0o600);
    const child = Bun.spawn(command, { cwd, env, stdin: "pipe", stdout: log, stderr: log, detached: true });
    closeSync(log);
    this.#process = child;
    living.add(this);
    this.#exited = child.exited.then(() => this.#ended(child));
    if (firstLine !== undefined) this.send(firstLine);
    return ready === null ? null : await this.#readiness(ready, logFile, from);
  }

  send(line: string): void {
    const stdin = this.#process?.stdin;
    if (stdin === undefined) return;
    stdin.write(`${line}\n`);
    void Promise.resolve(stdin.flush()).catch(() => undefined);
  }

  /** Signals the process and its whole group. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") this.#expected.add(pid);
    try {
      process.kill(-pid, signal);
    } catch {
      // The process has just ended.
    }
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#exited;
  }

  /** Asks it to end, and kills it after `withinMs`. Returns whether it ended without the kill. */
  async stop(withinMs: number): Promise<boolean> {
    this.signal("SIGCONT");
    this.signal("SIGTERM");
    const ended = await Promise.race([this.#exited.then(() => true), Bun.sleep(withinMs).then(() => false)]);
    if (!ended) await this.kill();
    return ended;
  }

  #ended(child: Bun.Subprocess<"pipe">): void {
    this.#process = null;
    living.delete(this);
    const end: ChildEnd = {
      at: Date.now(),
      code: child.exitCode,
      signal: child.signalCode,
      unexpected: !this.#expected.has(child.pid),
    };
    this.ends.push(end);
    appendFileSync(this.#options.logFile, `--- ${this.name} ended: ${JSON.stringify(end)}\n`);
  }

  async #readiness(ready: RegExp, logFile: string, from: number): Promise<RegExpExecArray> {
    const deadline = performance.now() + READY_WITHIN_MS;
    while (this.#process !== null && performance.now() < deadline) {
      const found = ready.exec(await Bun.file(logFile).slice(from).text());
      if (found !== null) return found;
      await Bun.sleep(20);
    }
    throw new Error(`${this.name} was not ready within ${READY_WITHIN_MS / 1_000} s: see ${logFile}`);
  }
}
