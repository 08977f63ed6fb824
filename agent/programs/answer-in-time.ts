import { ProgramError } from "./program.ts";

/** Less than the agent waits for a job process, so that this error reaches the agent. */
const FILE_ANSWER_MS = 10_000;

/**
 * The result of a file operation. Throws `code` when there is none in time: calls on a mount whose server is gone can
 * wait forever.
 */
export async function answerInTime<T>(call: Promise<T>, code: string, subject: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `${subject} gives no answer within ${FILE_ANSWER_MS / 1_000} s: check whether its file system is mounted and answers`;
  const timer = setTimeout(() => reject(new ProgramError(code, message)), FILE_ANSWER_MS);
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
