import { Refused } from "./refused.ts";

const ASK_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 5_000;

/** Resolves when `url` answers with 2xx. Throws after `withinMs`, with the last reason. */
export async function waitForAnswer(url: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const reason = await ask(url);
    if (reason === null) return;
    if (performance.now() > deadline) {
      throw new Refused(
        `${url} did not answer within ${Math.round(withinMs / 1_000)} s: ${reason}. Look at journalctl -u bellhop -u bellhop-libsql.`,
      );
    }
    await Bun.sleep(ASK_EVERY_MS);
  }
}

async function ask(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await response.body?.cancel();
    return response.ok ? null : `it answered ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
