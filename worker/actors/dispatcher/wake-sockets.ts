/** What agents send to see whether the other end still lives, and what they get: without waking the object. */
const PING = "ping";
const PONG = "pong";
/** The one message of the service: poll now. */
const POLL = "poll";
const CLOSE_REPLACED = 4409;
const CLOSE_NOT_EXPECTED = 1008;

/**
 * The wake sockets of the agents that an object serves: they hibernate, so an idle one costs nothing. Who may have one was
 * decided before.
 */
export class WakeSockets {
  readonly #state: DurableObjectState;
  readonly #byAgent = new Map<string, WebSocket>();

  constructor(state: DurableObjectState) {
    this.#state = state;
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    for (const socket of state.getWebSockets()) {
      const [agentId] = state.getTags(socket);
      if (agentId !== undefined && isOpen(socket)) this.#byAgent.set(agentId, socket);
    }
  }

  /** One that is closing counts until its close was heard. */
  get size(): number {
    return this.#byAgent.size;
  }

  heardAt(agentId: string): number | null {
    const socket = this.#byAgent.get(agentId);
    return socket === undefined || !isOpen(socket) ? null : this.#heardThrough(socket);
  }

  /** Takes an agent's socket; the one it had before is gone or was another process's. */
  accept(agentId: string, now: number): Response {
    this.close(agentId);
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server, [agentId]);
    server.serializeAttachment(now);
    this.#byAgent.set(agentId, server);
    return new Response(null, { status: 101, webSocket: client, headers: { "Cache-Control": "no-store" } });
  }

  wake(agentId: string): void {
    send(this.#byAgent.get(agentId));
  }

  /** It is told to poll as well: the answer says what is wrong, also where a proxy swallows the close. */
  close(agentId: string): void {
    for (const socket of this.#state.getWebSockets(agentId)) {
      send(socket);
      this.#end(socket, CLOSE_REPLACED, "register again");
    }
  }

  /** Agents have nothing to say but what is answered without us. */
  said(socket: WebSocket): void {
    this.#end(socket, CLOSE_NOT_EXPECTED, "nothing but ping is expected here");
  }

  /**
   * Gives whose socket it was, and when that agent was last heard through it (epoch ms); null when the agent has another
   * one. The platform answers a close by itself from compatibility dates of April 2026 on; to do so twice does no harm.
   */
  closed(socket: WebSocket): { agentId: string; heardAt: number } | null {
    const [agentId = ""] = this.#state.getTags(socket);
    const isPresent = this.#byAgent.get(agentId) === socket;
    const heardAt = this.#heardThrough(socket);
    if (isPresent) this.#byAgent.delete(agentId);
    this.#end(socket, 1000, "");
    return isPresent ? { agentId, heardAt } : null;
  }

  #heardThrough(socket: WebSocket): number {
    const openedAt: number | null = socket.deserializeAttachment();
    return Math.max(openedAt ?? 0, this.#state.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0);
  }

  #end(socket: WebSocket, code: number, reason: string): void {
    try {
      socket.close(code, reason);
    } catch {
      // It was closed already.
    }
  }
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN;
}

function send(socket: WebSocket | undefined): void {
  try {
    socket?.send(POLL);
  } catch {
    // It is closing: the agent polls when it has a new one.
  }
}
