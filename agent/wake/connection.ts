import { jittered } from "../service/retry.ts";
import type { Random } from "../service/retry.ts";

const SECOND_MS = 1_000;
/** The runtime reports a close only when the connection itself has ended, which the peer can delay. */
const CLOSING_LOOK_MS = 500;
/** `poll`, `pong` and messages of later versions are single words. */
const MESSAGE_MAX_CHARS = 1_024;

/** Milliseconds. */
export interface WakeLimits {
  connectMs: number;
  pingEveryMs: number;
  pongWithinMs: number;
}

export const WAKE_LIMITS: WakeLimits = {
  connectMs: 15 * SECOND_MS,
  // The service counts pings as signs of life, and some proxies drop a connection after 30 silent seconds.
  pingEveryMs: 25 * SECOND_MS,
  pongWithinMs: 15 * SECOND_MS,
};

export interface WakeTarget {
  /** ws:// or wss:// */
  url: string;
  headers: Record<string, string>;
  /** Null for a direct connection. */
  proxy: string | null;
}

/** Why a connection ended, or was never opened. */
export type WakeEnd =
  | { how: "refused"; status: number }
  | { how: "unreachable"; reason: string }
  | { how: "closed"; code: number }
  /** The peer has sent a close frame and does not close; its code is not known before that. */
  | { how: "closing" }
  /** No pong and no other message: the peer, or the way to it, is gone. */
  | { how: "half_open" }
  | { how: "too_long" }
  | { how: "stopped" };

export interface WakeCallbacks {
  onOpen: () => void;
  onPoll: () => void;
}

/** Opens one connection, keeps it while it is alive, and resolves with the way it ended. Never throws. */
export function holdConnection(
  { url, headers, proxy }: WakeTarget,
  { onOpen, onPoll }: WakeCallbacks,
  { signal, random, limits }: { signal: AbortSignal; random: Random; limits: WakeLimits },
): Promise<WakeEnd> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ how: "stopped" });
    let nextPing: ReturnType<typeof setTimeout> | undefined;
    /** Set until the connection is open, and from a ping until any message arrives. */
    let deadline: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let isOpen = false;
    let wasClosing = false;
    let failure = "";
    const socket = connect({ url, headers, proxy });
    const end = (how: WakeEnd) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(nextPing);
      clearTimeout(deadline);
      clearInterval(looking);
      signal.removeEventListener("abort", onAbort);
      socket.terminate();
      resolve(how);
    };
    const onAbort = () => end({ how: "stopped" });
    const isAlive = () => {
      clearTimeout(deadline);
      deadline = undefined;
    };
    // Other messages do not delay pings: the service counts only pings.
    const pingLater = () => {
      nextPing = setTimeout(
        () => {
          deadline ??= setTimeout(() => end({ how: "half_open" }), limits.pongWithinMs);
          socket.send("ping");
          pingLater();
        },
        jittered(limits.pingEveryMs, random),
      );
    };
    const looking = setInterval(() => {
      // Most connections end right after the close frame. The second look finds those that do not.
      if (wasClosing) end({ how: "closing" });
      wasClosing = socket.readyState === WebSocket.CLOSING;
    }, CLOSING_LOOK_MS);
    signal.addEventListener("abort", onAbort);
    deadline = setTimeout(() => {
      end({ how: "unreachable", reason: `not open within ${limits.connectMs / SECOND_MS} s` });
    }, limits.connectMs);
    socket.addEventListener("open", () => {
      if (isOver) return;
      isOpen = true;
      isAlive();
      pingLater();
      onOpen();
    });
    socket.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (isOver) return;
      if (sizeOf(data) > MESSAGE_MAX_CHARS) return end({ how: "too_long" });
      // Any message shows that the peer is alive.
      isAlive();
      if (data === "poll") onPoll();
    });
    socket.addEventListener("error", (event) => {
      failure = "message" in event ? String(event.message) : "";
    });
    socket.addEventListener("close", ({ code }) => {
      end(isOpen ? { how: "closed", code } : refusalIn(failure));
    });
  });
}

function connect({ url, headers, proxy }: WakeTarget): WebSocket {
  return new WebSocket(url, {
    headers,
    // Words are too short to compress, and a compressed flood would be larger.
    perMessageDeflate: false,
    // Certificates are checked even with NODE_TLS_REJECT_UNAUTHORIZED=0: the request carries the key.
    ...(url.startsWith("wss:") ? { tls: { rejectUnauthorized: true } } : {}),
    ...(proxy === null ? {} : { proxy }),
  });
}

/** The runtime shows the status of a refused upgrade only in its message. Without one the service was not reached. */
function refusalIn(message: string): WakeEnd {
  const status = /expected 101 status code: (\d{3})/iu.exec(message)?.[1];
  if (status !== undefined) return { how: "refused", status: Number(status) };
  // The first part of the message names the address, which the log has anyway.
  return { how: "unreachable", reason: /' failed: (.+)$/su.exec(message)?.[1]?.trim() ?? "no connection" };
}

function sizeOf(data: unknown): number {
  if (typeof data === "string") return data.length;
  return data instanceof Uint8Array || data instanceof ArrayBuffer ? data.byteLength : 0;
}
