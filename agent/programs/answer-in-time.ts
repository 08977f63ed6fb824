import { ProgramError } from "./program.ts";

/** Less than the agent waits for a job's process, so that this error arrives there. */
const FILE_ANSWER_MS = 10_000;

/** What a call on a file gives. Throws `code` when it gives nothing: a mounted server that is away lets such calls wait for ever. */
export async function answerInTime<T>(call: Promise<T>, code: string, subject: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `${subject} gives no answer within ${FILE_ANSWER_MS / 1_000} s: look whether its file system is away`;
  const timer = setTimeout(() => reject(new ProgramError(code, message)), FILE_ANSWER_MS);
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
