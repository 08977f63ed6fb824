import type { Wakers } from "../services/pool/pool.ts";

/** What agents send to see whether the other end still lives, and what they get: without waking the object. */
const PING = "ping";
const PONG = "pong";
/** The one thing that is ever said (design 4): poll now. */
const POLL = "poll";
const CLOSE_REPLACED = 4409;
const CLOSE_NOT_EXPECTED = 1008;

/**
 * The wake sockets of the agents that an object serves: they hibernate, so an idle one costs nothing. Who may have one was
 * decided before.
 */
export class WakeSockets implements Wakers {
  readonly #state: DurableObjectState;

  constructor(state: DurableObjectState) {
    this.#state = state;
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Takes an agent's socket; the one it had before is gone or was another process's. */
  accept(agentId: string): Response {
    this.drop(agentId);
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server, [agentId]);
    return new Response(null, { status: 101, webSocket: client, headers: { "Cache-Control": "no-store" } });
  }

  wake(agentIds: readonly string[]): string[] {
    return agentIds.filter((agentId) => this.#state.getWebSockets(agentId).some(isTold));
  }

  /** It is told to poll as well: the answer says what is wrong, also where a proxy swallows the close. */
  drop(agentId: string): void {
    for (const socket of this.#state.getWebSockets(agentId)) {
      isTold(socket);
      close(socket, CLOSE_REPLACED, "register again");
    }
  }

  /** Agents have nothing to say but what is answered without us. */
  said(socket: WebSocket): void {
    close(socket, CLOSE_NOT_EXPECTED, "nothing but ping is expected here");
  }

  /** The platform answers a close by itself from compatibility dates of April 2026 on; to do so twice does no harm. */
  closed(socket: WebSocket): void {
    close(socket, 1000, "");
  }
}

function isTold(socket: WebSocket): boolean {
  try {
    socket.send(POLL);
    return true;
  } catch {
    // It is closing: the agent polls when it has a new one.
    return false;
  }
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It was closed already.
  }
}
