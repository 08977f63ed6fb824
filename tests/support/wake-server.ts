import { AGENT_API_PATH } from "../../schema/contract/agent.ts";

export type WakePeer = Bun.ServerWebSocket<{ at: number }>;

export interface WakeServerOptions {
  tls?: { cert: string; key: string };
  /** Where everything else than the wake socket goes: a service's address. */
  forwardTo?: string;
  /** Instead of an upgrade; undefined lets the upgrade happen. */
  refuse?: (request: Request) => Response | undefined;
  onOpen?: (peer: WakePeer) => void;
  /** Whether a `ping` is answered. */
  answersPings?: boolean;
}

/** The service's end of wake sockets, on a free port of 127.0.0.1, to be told what to do. */
export class WakeServer {
  /** Every request for an upgrade, whatever became of it. */
  readonly asked: { path: string; headers: Headers }[] = [];
  readonly open = new Set<WakePeer>();
  /** Everything that agents have sent. */
  readonly heard: string[] = [];
  /** Close codes that came from agents or the way to them. */
  readonly closed: number[] = [];
  opened = 0;
  options: WakeServerOptions;
  readonly #server: Bun.Server<{ at: number }>;

  constructor(options: WakeServerOptions = {}) {
    this.options = options;
    this.#server = Bun.serve<{ at: number }>({
      hostname: "127.0.0.1",
      port: 0,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      idleTimeout: 0,
      fetch: (request, server) => this.#serve(request, server),
      websocket: {
        idleTimeout: 0,
        open: (peer) => {
          this.opened++;
          this.open.add(peer);
          this.options.onOpen?.(peer);
        },
        message: (peer, message) => {
          this.heard.push(String(message));
          if (message === "ping" && this.options.answersPings !== false) peer.send("pong");
        },
        close: (peer, code) => {
          this.open.delete(peer);
          this.closed.push(code);
        },
      },
    });
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Says it on every open socket. */
  say(text: string): void {
    for (const peer of this.open) peer.send(text);
  }

  closeAll(code: number): void {
    for (const peer of this.open) peer.close(code);
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #serve(request: Request, server: Bun.Server<{ at: number }>): Promise<Response | undefined> {
    const { pathname, search } = new URL(request.url);
    if (pathname === `${AGENT_API_PATH}/wake`) {
      this.asked.push({ path: pathname, headers: new Headers(request.headers) });
      const refusal = this.options.refuse?.(request);
      if (refusal !== undefined) return refusal;
      return server.upgrade(request, { data: { at: performance.now() } })
        ? undefined
        : new Response("", { status: 426 });
    }
    if (this.options.forwardTo === undefined) return new Response("", { status: 404 });
    const { method, headers } = request;
    const body = method === "POST" ? { body: await request.text() } : {};
    return await fetch(`${this.options.forwardTo}${pathname}${search}`, { method, headers, ...body });
  }
}
