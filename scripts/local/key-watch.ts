import { AGENT_API_PATH } from "../../schema/contract/agent.ts";

const LOOK_EVERY_MS = 10_000;

export interface KeyWatch {
  /** Asks the service once. Never throws. */
  tick(): Promise<void>;
  stop(): void;
}

/**
 * Calls `onRefused` once when the service does not take an agent's key any more. It asks by a poll without a session, which
 * records nothing. A service that does not answer says nothing about the key.
 */
export function watchKey(options: { serviceUrl: string; apiKey: string; onRefused: () => void }): KeyWatch {
  const { serviceUrl, apiKey, onRefused } = options;
  let isDone = false;
  const stop = () => {
    isDone = true;
    clearInterval(timer);
  };
  const tick = async () => {
    const status = await statusFor(serviceUrl, apiKey).catch(() => null);
    if (isDone || status !== 401) return;
    stop();
    onRefused();
  };
  const timer = setInterval(() => void tick(), LOOK_EVERY_MS);
  timer.unref();
  return { tick, stop };
}

async function statusFor(serviceUrl: string, apiKey: string): Promise<number> {
  const { status } = await fetch(`${serviceUrl}${AGENT_API_PATH}/jobs?capacity=0&held=`, {
    headers: { Authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(LOOK_EVERY_MS),
  });
  return status;
}
