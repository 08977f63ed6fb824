import { errorCode, errorMessage, ExecutorFailure } from "../../shared/failures.ts";
import { checkFile } from "./check-file.ts";
import { requestSchema, type SqliteReply, type SqliteRequest } from "./messages.ts";
import { runStatement } from "./run-statement.ts";
import { startWatchdog } from "./watchdog.ts";

/** The process that runs one statement: reads a request, answers, and ends. */
export async function serveSqlite(): Promise<void> {
  const request = requestSchema.parse(JSON.parse(await Bun.stdin.text()));
  await startWatchdog(request.timeLimitMs);
  await Bun.write(Bun.stdout, JSON.stringify(await replyTo(request)));
}

async function replyTo({ text, ...request }: SqliteRequest): Promise<SqliteReply> {
  try {
    const found = await checkFile(request.file, request.readOnly);
    if (text === null) return { result: { rows: [found], columns: ["bytes"], rowCount: 1, truncated: false } };
    return { result: runStatement({ ...request, text }) };
  } catch (error) {
    const code = error instanceof ExecutorFailure ? error.code : errorCode(error);
    return { error: { code, message: errorMessage(error) } };
  }
}
