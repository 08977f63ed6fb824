import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { answerLength, readHead, requestLength, statusOf, targetOf } from "./http-message.ts";
import type { MessageHead } from "./http-message.ts";
import type { Random } from "./random.ts";
import { drawFate, FAIR } from "./weather.ts";
import type { Fate, Weather } from "./weather.ts";

export interface FaultProxyOptions {
  /** A port of 127.0.0.1. */
  targetPort: number;
  random: Random;
  /** Waits this many milliseconds; tests replace it. */
  sleep?: (ms: number) => Promise<unknown>;
  /** Called for every request that did not simply pass. */
  onFate?: (fate: Exclude<Fate, { type: "pass" }>, request: { method: string; path: string }) => void;
}

/**
 * A proxy between two programs. It forwards HTTP/1.1 until it disturbs single requests, as the `weather` says, or the
 * whole link. A WebSocket is forwarded as bytes, and only faults of the link affect it.
 */
export class FaultProxy {
  weather: Weather = FAIR;
  readonly #options: FaultProxyOptions;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #refusing = false;
  #thawed: Promise<void> = Promise.resolve();
  #thaw: (() => void) | null = null;

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#sleep = options.sleep ?? ((ms) => Bun.sleep(ms));
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket));
  }

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The number of open connections, upstream ones included. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** From now on nothing passes and nothing is refused, as with an unplugged cable. */
  freeze(): void {
    if (this.#thaw !== null) return;
    this.#thawed = new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  /** Refuses new connections and resets the open ones. */
  refuse(): void {
    this.#refusing = true;
    this.breakOff();
  }

  /** Resets every open connection; forwarded requests stay on their way. */
  breakOff(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Everything passes again; frozen bytes of unbroken connections arrive now. */
  heal(): void {
    this.weather = FAIR;
    this.#refusing = false;
    this.#thaw?.();
    this.#thaw = null;
  }

  async close(): Promise<void> {
    this.heal();
    this.refuse();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    socket.on("error", () => undefined);
    if (this.#refusing) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    let bytes = Buffer.alloc(0);
    let busy = false;
    let relay: Socket | null = null;
    const next = (): void => {
      if (busy || relay !== null || socket.destroyed) return;
      const head = readHead(bytes);
      const length = head === null ? null : requestLength(head, bytes);
      if (length !== null && Number.isNaN(length)) return void socket.destroy();
      if (head === null || length === null) return;
      if (head.headers.has("upgrade")) {
        relay = this.#relay(socket, bytes);
        return;
      }
      const request = bytes.subarray(0, length);
      bytes = bytes.subarray(length);
      busy = true;
      void this.#exchange(socket, head, request).finally(() => {
        busy = false;
        next();
      });
    };
    socket.on("data", (chunk: Buffer) => {
      if (relay !== null) return;
      bytes = Buffer.concat([bytes, chunk]);
      next();
    });
    // A client that has sent everything may still wait for its answer.
    socket.on("end", () => busy || socket.end());
  }

  /** Takes one request to its answer, or to its fate by the weather. */
  async #exchange(socket: Socket, head: MessageHead, request: Buffer): Promise<void> {
    const target = targetOf(head);
    const fate = drawFate(this.weather, this.#options.random);
    if (fate.type !== "pass") this.#options.onFate?.(fate, target);
    await this.#thawed;
    if (fate.type === "drop") return void socket.destroy();
    if (fate.type === "hold") await this.#sleep(fate.ms);
    const answer = await this.#passOn(fate, request, target.method);
    if (fate.type === "slow") await this.#sleep(fate.ms);
    await this.#thawed;
    if (answer === null || fate.type === "loseAnswer") return void socket.destroy();
    if (fate.type === "truncate") {
      socket.write(answer.subarray(0, Math.floor(answer.length * fate.share)), () => socket.destroy());
      return;
    }
    const closes = readHead(answer)?.headers.get("connection")?.toLowerCase() === "close";
    if (closes) socket.end(answer);
    else socket.write(answer);
  }

  async #passOn(fate: Fate, request: Buffer, method: string): Promise<Buffer | null> {
    const first = ask(this.#options.targetPort, request, method);
    if (fate.type !== "duplicate") return first;
    const second = this.#sleep(fate.gapMs).then(() => ask(this.#options.targetPort, request, method));
    return fate.heard === "first" ? first : second;
  }

  /** Forwards bytes in both directions, after the protocol has changed from HTTP. */
  #relay(outer: Socket, sent: Buffer): Socket {
    const inner = connect({ host: "127.0.0.1", port: this.#options.targetPort });
    this.#sockets.add(inner);
    inner.write(sent);
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      let passing = Promise.resolve();
      from.on("data", (chunk: Buffer) => {
        passing = passing.then(() => this.#thawed).then(() => void to.write(chunk));
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on("end", () => to.end());
    }
    return inner;
  }
}

/** The whole answer, over a new connection; null without an answer. */
function ask(port: number, request: Buffer, method: string): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let bytes = Buffer.alloc(0);
    let untilClose = false;
    const finish = (answer: Buffer | null) => {
      socket.destroy();
      resolve(answer);
    };
    const look = () => {
      const head = readHead(bytes);
      if (head === null) return;
      // An interim answer comes before the final one.
      if (statusOf(head) < 200) {
        bytes = bytes.subarray(head.length);
        look();
        return;
      }
      const length = answerLength(head, bytes, method);
      if (length === "untilClose") untilClose = true;
      else if (length !== null) finish(bytes.subarray(0, length));
    };
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      look();
    });
    socket.on("error", () => finish(null));
    socket.on("close", () => finish(untilClose ? bytes : null));
    socket.write(request);
  });
}
