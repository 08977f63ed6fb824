import { AGENT_API_PATH } from "../../schema/contract/agent.ts";
import { refusalResponse } from "./fake-service-http.ts";
import type { FakeService } from "./fake-service.ts";

const CLOSE_REPLACED = 4_409;
const CLOSE_NOT_EXPECTED = 1_008;

export type WakePeer = Bun.ServerWebSocket<{ at: number }>;

export interface WakeServerOptions {
  tls?: { cert: string; key: string };
  /** The target of all requests other than the wake socket: a service's address. */
  forwardTo?: string;
  /**
   * The service of these wake sockets: they are admitted, woken and ended as at the real service, and it gets all other
   * calls.
   */
  service?: FakeService;
  /** Replaces an upgrade; undefined lets the upgrade happen. */
  refuse?: (request: Request) => Response | undefined;
  onOpen?: (peer: WakePeer) => void;
  /** Whether a `ping` is answered. */
  answersPings?: boolean;
}

/** The service's end of wake sockets, on a free port of 127.0.0.1, controlled by the test. */
export class WakeServer {
  /** Every request for an upgrade, accepted or not. */
  readonly asked: { path: string; headers: Headers }[] = [];
  readonly open = new Set<WakePeer>();
  /** All messages of agents. */
  readonly heard: string[] = [];
  /** Close codes from agents or from the network to them. */
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
          if (this.options.service !== undefined) this.#replace();
          this.open.add(peer);
          this.options.onOpen?.(peer);
        },
        message: (peer, message) => {
          this.heard.push(String(message));
          if (message === "ping" && this.options.answersPings !== false) peer.send("pong");
          if (message !== "ping" && this.options.service !== undefined) peer.close(CLOSE_NOT_EXPECTED);
        },
        close: (peer, code) => {
          this.open.delete(peer);
          this.closed.push(code);
        },
      },
    });
    if (options.service !== undefined) {
      options.service.wake = {
        isOpen: () => this.open.size > 0,
        poll: () => this.say("poll"),
        end: () => this.#replace(),
      };
    }
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends the text on every open socket. */
  say(text: string): void {
    for (const peer of this.open) peer.send(text);
  }

  closeAll(code: number): void {
    for (const peer of this.open) peer.close(code);
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  /** The agent is also asked to poll: the answer to its poll says why the socket ended. */
  #replace(): void {
    this.say("poll");
    this.closeAll(CLOSE_REPLACED);
    this.open.clear();
  }

  async #serve(request: Request, server: Bun.Server<{ at: number }>): Promise<Response | undefined> {
    const { pathname, search } = new URL(request.url);
    if (pathname === `${AGENT_API_PATH}/wake`) {
      this.asked.push({ path: pathname, headers: new Headers(request.headers) });
      const refusal = this.options.refuse?.(request);
      if (refusal !== undefined) return refusal;
      const refused = this.options.service?.refusalOfWake(request.headers) ?? null;
      if (refused !== null) return refusalResponse(refused, pathname);
      return server.upgrade(request, { data: { at: performance.now() } })
        ? undefined
        : new Response("", { status: 426 });
    }
    const forwardTo = this.options.forwardTo ?? this.options.service?.url;
    if (forwardTo === undefined) return new Response("", { status: 404 });
    const { method, headers } = request;
    const body = method === "POST" ? { body: await request.text() } : {};
    return await fetch(`${forwardTo}${pathname}${search}`, { method, headers, ...body });
  }
}
