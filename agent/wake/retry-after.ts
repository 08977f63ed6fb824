import { retryAfterMs } from "../../schema/contract/retry-after.ts";
import type { WakeTarget } from "./connection.ts";

const ANSWER_WITHIN_MS = 5_000;

/**
 * The Retry-After of a service that refuses the upgrade, in milliseconds; null without one. The runtime's WebSocket
 * does not show the headers of a refusal, so the same request is sent again with fetch.
 */
export async function askRetryAfter({ url, headers, proxy }: WakeTarget, signal: AbortSignal): Promise<number | null> {
  const upgrade = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64"),
  };
  const over = new AbortController();
  try {
    const response = await fetch(url.replace(/^ws/u, "http"), {
      headers: { ...headers, ...upgrade },
      redirect: "manual",
      signal: AbortSignal.any([signal, over.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      proxy: proxy ?? false,
      ...(url.startsWith("wss:") ? { tls: { rejectUnauthorized: true } } : {}),
    });
    return retryAfterMs(response.headers.get("Retry-After"), Date.now());
  } catch {
    return null;
  } finally {
    over.abort();
  }
}
