/** Agents send a ping to see whether the other end lives. The platform answers it without waking the object. */
const PING = "ping";
const PONG = "pong";
/** The service's only message: poll now. */
const POLL = "poll";
const CLOSE_REPLACED = 4409;
const CLOSE_NOT_EXPECTED = 1008;

/** The wake sockets of an object's agents. They hibernate, so an idle socket costs nothing. Callers check access. */
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

  /** A closing socket counts until its close event. */
  get size(): number {
    return this.#byAgent.size;
  }

  heardAt(agentId: string): number | null {
    const socket = this.#byAgent.get(agentId);
    return socket === undefined || !isOpen(socket) ? null : this.#heardThrough(socket);
  }

  /** Accepts an agent's socket. Its former socket is gone, or belonged to another process. */
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

  /** The socket gets a poll message too: the answer to the poll reports the problem if a proxy swallows the close. */
  close(agentId: string): void {
    for (const socket of this.#state.getWebSockets(agentId)) {
      send(socket);
      this.#end(socket, CLOSE_REPLACED, "register again");
    }
  }

  /** Agents send nothing but pings, and the platform answers those. */
  said(socket: WebSocket): void {
    this.#end(socket, CLOSE_NOT_EXPECTED, "only ping is expected here");
  }

  /**
   * Handles a close. Returns the agent and when it was last heard through the socket (epoch ms); null when the agent
   * has a newer socket. The platform answers a close itself with compatibility dates from April 2026 on; a second
   * answer does no harm.
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
      // Already closed.
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
    // The socket is closing. The agent polls when it has a new one.
  }
}
