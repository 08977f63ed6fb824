import { jittered } from "../service/retry.ts";
import type { Random } from "../service/retry.ts";

const SECOND_MS = 1_000;
/** The runtime tells of a close only when the connection itself has ended, which the other end may put off for long. */
const CLOSING_LOOK_MS = 500;
/** `poll`, `pong` and what a later version may add are words. */
const MESSAGE_MAX_CHARS = 1_024;

/** Milliseconds. */
export interface WakeLimits {
  connectMs: number;
  pingEveryMs: number;
  pongWithinMs: number;
}

export const WAKE_LIMITS: WakeLimits = {
  connectMs: 15 * SECOND_MS,
  // The service takes pings for signs of life, and some of what lies between drops a connection after 30 silent seconds.
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

/** Why a connection is over, or never came to be. */
export type WakeEnd =
  | { how: "refused"; status: number }
  | { how: "unreachable"; reason: string }
  | { how: "closed"; code: number }
  /** The other end has said that it closes, and does not; its code is not known before it does. */
  | { how: "closing" }
  /** Neither an answer to a ping nor anything else came: the other end, or the way to it, is gone. */
  | { how: "half_open" }
  | { how: "too_long" }
  | { how: "stopped" };

export interface WakeCallbacks {
  onOpen: () => void;
  onPoll: () => void;
}

/** Opens one connection, keeps it while it lives, and answers how it ended. Never throws. */
export function holdConnection(
  { url, headers, proxy }: WakeTarget,
  { onOpen, onPoll }: WakeCallbacks,
  { signal, random, limits }: { signal: AbortSignal; random: Random; limits: WakeLimits },
): Promise<WakeEnd> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ how: "stopped" });
    let nextPing: ReturnType<typeof setTimeout> | undefined;
    /** Runs until the connection is open, and from a ping until anything comes. */
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
    // Whatever else comes: the service counts pings, not what it sent itself.
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
      // Most connections end right behind the word, with its code: the second look is for those that do not.
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
      // Whatever came, the other end lives.
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
    // Words are not worth it, and a compressed flood would be a larger one.
    perMessageDeflate: false,
    // NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment must not give the key to whoever asks.
    ...(url.startsWith("wss:") ? { tls: { rejectUnauthorized: true } } : {}),
    ...(proxy === null ? {} : { proxy }),
  });
}

/** The runtime tells the status of a refused upgrade in its message alone; without one the service was not reached. */
function refusalIn(message: string): WakeEnd {
  const status = /expected 101 status code: (\d{3})/iu.exec(message)?.[1];
  if (status !== undefined) return { how: "refused", status: Number(status) };
  // Its first part names the address, which the log has anyway.
  return { how: "unreachable", reason: /' failed: (.+)$/su.exec(message)?.[1]?.trim() ?? "no connection" };
}

function sizeOf(data: unknown): number {
  if (typeof data === "string") return data.length;
  return data instanceof Uint8Array || data instanceof ArrayBuffer ? data.byteLength : 0;
}
