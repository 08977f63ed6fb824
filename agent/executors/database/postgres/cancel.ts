import type { DatabaseTarget } from "../driver.ts";
import type { Endpoint } from "../../shared/tcp-session.ts";
import { openPostgres } from "./open.ts";

/** The runner waits 10 s for a stopped job: the request and the statement's end must fit into that. */
const CANCEL_TIMEOUT_MS = 3_000;
const CANCEL_REQUEST_CODE = 80_877_102;

export interface BackendKey {
  processId: number;
  secretKey: number;
}

/**
 * Asks the server, over a separate connection, to cancel a session's statement (PostgreSQL, "Canceling Requests in
 * Progress"). The server answers by closing that connection. Never throws: the session's own connection shows the
 * result.
 */
export async function cancelOnServer(target: DatabaseTarget, endpoint: Endpoint, key: BackendKey): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  try {
    const socket = await openPostgres({ ...target, timeoutMs: CANCEL_TIMEOUT_MS, signal }, endpoint);
    const request = Buffer.alloc(16);
    request.writeInt32BE(16, 0);
    request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
    request.writeInt32BE(key.processId, 8);
    request.writeInt32BE(key.secretKey, 12);
    const closed = Promise.withResolvers<void>();
    socket.once("close", () => closed.resolve());
    signal.addEventListener("abort", () => closed.resolve(), { once: true });
    socket.on("error", () => undefined);
    socket.resume();
    socket.end(request);
    await closed.promise;
    socket.destroy();
  } catch {
    // The server can no longer be reached. The statement's outcome is then reported as unknown.
  }
}
