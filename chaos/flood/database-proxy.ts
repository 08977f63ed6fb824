import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { answerLength, readHead, requestLength, statusOf, targetOf } from "../http-message.ts";
import type { MessageHead } from "../http-message.ts";
import { Attempts } from "./attempts.ts";
import { readPipeline, withBusy, without } from "./pipeline.ts";
import type { Pipeline, WriteBatch } from "./pipeline.ts";

/**
 * `slow`: each request waits. `busy`: every third write batch is answered as busy, reads pass. `gone`: each request
 * ends in a reset of its connection.
 */
export const DATABASE_FAULTS = ["none", "slow", "busy", "gone"] as const;
export type DatabaseFault = (typeof DATABASE_FAULTS)[number];

/** What passed the proxy since its start. */
export interface DatabaseTraffic {
  requests: number;
  writeBatches: number;
  /** Write batches that the proxy answered as busy. */
  busyByProxy: number;
  /** SQLITE_BUSY in the server's own answers. */
  busyByServer: number;
  /** Answers of the server by their HTTP status, other than 200. */
  statuses: Record<string, number>;
  /** The most requests that waited for an answer at the same moment. */
  mostAtOnce: number;
}

const SLOW_MS = 50;
const BUSY_EVERY = 3;
const BUSY = /"code":\s*"SQLITE_BUSY/gu;

/** A proxy between Workers and their database: one connection to the server for each connection of a Worker. */
export class DatabaseProxy {
  readonly traffic: DatabaseTraffic = {
    requests: 0,
    writeBatches: 0,
    busyByProxy: 0,
    busyByServer: 0,
    statuses: {},
    mostAtOnce: 0,
  };
  readonly attempts = new Attempts();
  readonly #targetPort: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #fault: DatabaseFault = "none";
  #waiting = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(targetPort: number): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
  }

  set fault(fault: DatabaseFault) {
    this.#fault = fault;
    if (fault === "gone") this.#breakOff();
  }

  async close(): Promise<void> {
    this.#breakOff();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #breakOff(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    const upstream = new Upstream(this.#targetPort, () => socket.destroy());
    this.#sockets.add(socket);
    let bytes = Buffer.alloc(0);
    let isAnswering = false;
    const answerAll = async () => {
      isAnswering = true;
      for (let head = readHead(bytes); head !== null; head = readHead(bytes)) {
        const length = requestLength(head, bytes);
        if (length === null) break;
        const request = bytes.subarray(0, length);
        bytes = bytes.subarray(length);
        const answer = await this.#exchange(head, request, upstream);
        if (answer === null) socket.destroy();
        else socket.write(answer);
      }
      isAnswering = false;
    };
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!isAnswering) void answerAll();
    });
    socket.on("close", () => {
      this.#sockets.delete(socket);
      upstream.close();
    });
  }

  /** The answer; null when the connection breaks off instead. */
  async #exchange(head: MessageHead, request: Buffer, upstream: Upstream): Promise<Buffer | null> {
    const { path } = targetOf(head);
    this.traffic.requests += 1;
    const pipeline = path.endsWith("/pipeline") ? readPipeline(bodyOf(head, request)) : null;
    const writes = pipeline?.writes ?? [];
    this.traffic.writeBatches += writes.length;
    for (const { step } of writes) if (step !== null) this.attempts.began(step, performance.now());
    this.#waiting += 1;
    this.traffic.mostAtOnce = Math.max(this.traffic.mostAtOnce, this.#waiting);
    try {
      if (this.#fault === "slow") await Bun.sleep(SLOW_MS);
      if (this.#fault === "gone") return null;
      const refused = this.#fault === "busy" ? writes.filter(() => this.#isRefused()) : [];
      return await this.#passOn({ head, request, pipeline, refused }, upstream);
    } finally {
      this.#waiting -= 1;
      for (const { step } of writes) if (step !== null) this.attempts.ended(step, performance.now());
    }
  }

  #busyTurn = 0;
  #isRefused(): boolean {
    this.#busyTurn += 1;
    return this.#busyTurn % BUSY_EVERY === 0;
  }

  async #passOn(
    given: { head: MessageHead; request: Buffer; pipeline: Pipeline | null; refused: WriteBatch[] },
    upstream: Upstream,
  ): Promise<Buffer | null> {
    const { head, request, pipeline, refused } = given;
    if (pipeline === null || refused.length === 0) {
      const answer = await upstream.ask(request, targetOf(head).method);
      if (answer !== null) this.#note(answer);
      return answer;
    }
    const answer = await upstream.ask(withBody(head, without(pipeline, refused)), "POST");
    const answerHead = answer === null ? null : readHead(answer);
    if (answer === null || answerHead === null) return null;
    this.#note(answer);
    if (statusOf(answerHead) !== 200) return answer;
    this.traffic.busyByProxy += refused.length;
    return withBody(answerHead, withBusy(bodyOf(answerHead, answer), refused));
  }

  #note(answer: Buffer): void {
    const head = readHead(answer);
    const status = head === null ? 0 : statusOf(head);
    if (status !== 200) this.traffic.statuses[status] = (this.traffic.statuses[status] ?? 0) + 1;
    this.traffic.busyByServer += answer.toString("latin1").match(BUSY)?.length ?? 0;
  }
}

/** One connection to the server, opened with the first request. */
class Upstream {
  readonly #port: number;
  readonly #onClose: () => void;
  #socket: Socket | null = null;
  #bytes = Buffer.alloc(0);
  #waiting: { method: string; resolve: (answer: Buffer | null) => void } | null = null;

  constructor(port: number, onClose: () => void) {
    this.#port = port;
    this.#onClose = onClose;
  }

  /** The whole answer; null when the server ends the connection. */
  ask(request: Buffer, method: string): Promise<Buffer | null> {
    const socket = (this.#socket ??= this.#open());
    return new Promise((resolve) => {
      this.#waiting = { method, resolve };
      if (socket.destroyed) this.#settle(null);
      else socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: "127.0.0.1", port: this.#port });
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      const head = readHead(this.#bytes);
      const length = head === null ? null : answerLength(head, this.#bytes, this.#waiting?.method ?? "POST");
      if (length === null) return;
      // Neither server answers until its connection ends.
      if (length === "untilClose") return void socket.destroy();
      const answer = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      this.#settle(answer);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#settle(null);
      this.#onClose();
    });
    return socket;
  }

  #settle(answer: Buffer | null): void {
    this.#waiting?.resolve(answer);
    this.#waiting = null;
  }
}

function bodyOf(head: MessageHead, message: Buffer): string {
  if (!head.headers.has("content-length")) throw new Error("a message to or from the database has no Content-Length");
  return message.toString("utf8", head.length);
}

/** The same message with another body. */
function withBody({ firstLine, headers }: MessageHead, body: string): Buffer {
  const kept = [...headers].filter(([name]) => name !== "content-length").map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([firstLine, ...kept, `content-length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"));
}
