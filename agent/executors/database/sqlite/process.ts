import { MEMORY_MARK, replySchema, type SqliteReply, type SqliteRequest } from "./messages.ts";
import { fileURLToPath } from "node:url";
import { inheritedEnvironment } from "../../shared/environment.ts";

/** The agent's command that runs one statement; see agent/main.ts. */
export const SQLITE_COMMAND = "sqlite-process";

export interface SqliteProcess {
  /** How the process ended, when it gave no answer. */
  reply: Promise<SqliteReply | "ended" | "too much memory">;
  /** Ends the process, and the statement with it; fulfilled when it is gone. */
  kill(): Promise<void>;
}

/**
 * Runs a statement in a process of its own. SQLite works inside the caller's thread and cannot be interrupted there:
 * the agent would neither poll nor stop anything while a statement runs. When the process is killed, SQLite rolls the
 * statement back as after a power cut.
 */
export function startSqliteProcess(request: SqliteRequest): SqliteProcess {
  const child = Bun.spawn([...ownCommand(), SQLITE_COMMAND], {
    // The agent's key is in its environment.
    env: inheritedEnvironment(),
    stdin: Buffer.from(JSON.stringify(request)),
    stdout: "pipe",
    stderr: "pipe",
    windowsHide: true,
  });
  const read = async (): Promise<Awaited<SqliteProcess["reply"]>> => {
    const [text, said] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    if (said.includes(MEMORY_MARK)) return "too much memory";
    // Killed while it wrote, it leaves half an answer.
    return child.exitCode === 0 && text !== "" ? replySchema.parse(JSON.parse(text)) : "ended";
  };
  return {
    reply: read(),
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** The executable itself; while developing, the runtime and the file that the executable is made from. */
function ownCommand(): string[] {
  const compiled = Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/iu.test(Bun.main);
  return compiled
    ? [process.execPath]
    : [process.execPath, fileURLToPath(new URL("../../../main.ts", import.meta.url))];
}
