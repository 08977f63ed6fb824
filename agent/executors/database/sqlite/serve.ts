import { errorCode, errorMessage, ExecutorFailure } from "../../shared/failures.ts";
import { requestSchema, type SqliteReply, type SqliteRequest } from "./messages.ts";
import { runStatement } from "./run-statement.ts";
import { startWatchdog } from "./watchdog.ts";

/** The process that runs one statement: it reads a request, answers, and ends. */
export async function serveSqlite(): Promise<void> {
  const request = requestSchema.parse(JSON.parse(await Bun.stdin.text()));
  await startWatchdog(request.timeLimitMs);
  await Bun.write(Bun.stdout, JSON.stringify(replyTo(request)));
}

function replyTo(request: SqliteRequest): SqliteReply {
  try {
    return { result: runStatement(request) };
  } catch (error) {
    const code = error instanceof ExecutorFailure ? error.code : errorCode(error);
    return { error: { code, message: errorMessage(error) } };
  }
}
