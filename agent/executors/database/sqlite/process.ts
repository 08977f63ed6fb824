import { MEMORY_MARK, replySchema, type SqliteReply, type SqliteRequest } from "./messages.ts";
import { ownCommand } from "../../../programs/own-command.ts";
import type { Programs } from "../../../programs/program.ts";
import { jobEnvironment } from "../../shared/environment.ts";

/** The agent's command that runs one statement; see agent/main.ts. */
export const SQLITE_COMMAND = "sqlite-process";

export interface SqliteProcess {
  /** The answer, or how the process ended without one. */
  reply: Promise<SqliteReply | "ended" | "too much memory">;
  /** Ends the process and its statement. Resolves when it is gone. */
  kill(): Promise<void>;
}

/**
 * Runs a statement in a separate process of the job account. SQLite blocks the calling thread and cannot be interrupted
 * there: the agent could neither poll nor stop a job while a statement runs. After a kill, SQLite rolls the statement
 * back as after a power cut.
 */
export async function startSqliteProcess(
  request: SqliteRequest,
  { start, otherAccount }: Programs,
): Promise<SqliteProcess> {
  const program = await start({
    argv: ownCommand(SQLITE_COMMAND),
    env: jobEnvironment({ otherAccount }),
    stdin: JSON.stringify(request),
    mark: crypto.randomUUID(),
  });
  const read = async (): Promise<Awaited<SqliteProcess["reply"]>> => {
    try {
      const [text, said] = await Promise.all([
        new Response(program.stdout).text(),
        new Response(program.stderr).text(),
      ]);
      const { exitCode } = await program.exited;
      if (said.includes(MEMORY_MARK)) return "too much memory";
      // A process that was killed while it wrote leaves a part of an answer.
      return exitCode === 0 && text !== "" ? replySchema.parse(JSON.parse(text)) : "ended";
    } finally {
      await program.close();
    }
  };
  return { reply: read(), kill: () => program.end("group") };
}
