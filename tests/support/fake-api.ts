import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";

/** One request as the vendor's API received it. */
export interface FakeRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface FakeAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  text?: string;
}

/**
 * The fault of one request. `answer` replaces the work; `hang` never answers and does no work; the others do the work
 * and then spoil the answer: it is endless, breaks off in the middle, or does not come.
 */
export type Trouble = { answer: FakeAnswer } | "hang" | "oversize" | "break off" | "drop";

export interface FakeApiOptions {
  tls?: { key: string; cert: string };
}

/** A vendor's API over HTTP or HTTPS; the subclass handles the requests. */
export abstract class FakeApi {
  readonly requests: FakeRequest[] = [];
  /** Mistakes that the vendor would refuse, or that contradict the vendor's description. */
  readonly problems: string[] = [];
  /** How many callers disconnected before their answer. */
  abandoned = 0;
  readonly #troubles: Trouble[] = [];
  readonly #sockets = new Set<{ destroy: () => void }>();
  readonly #server;
  readonly #secure: boolean;

  constructor({ tls }: FakeApiOptions) {
    const handle = (request: IncomingMessage, response: ServerResponse): void => void this.#handle(request, response);
    this.#server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#secure = tls !== undefined;
  }

  protected abstract answer(request: FakeRequest): FakeAnswer;

  /** A client closes its connection when it has read the answer. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  get origin(): string {
    const address = this.#server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    return `${this.#secure ? "https" : "http"}://127.0.0.1:${port}`;
  }

  /** The faults of the next requests, in this order; later requests have none. */
  next(...troubles: Trouble[]): void {
    this.#troubles.push(...troubles);
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("close", () => {
      if (!response.writableFinished) this.abandoned += 1;
    });
    response.on("error", () => undefined);
    const url = new URL(incoming.url ?? "/", "http://fake");
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const request: FakeRequest = {
      method: incoming.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    };
    this.requests.push(request);
    const trouble = this.#troubles.shift();
    if (trouble === "hang") return;
    if (typeof trouble === "object") return send(response, trouble.answer);
    const answer = this.answer(request);
    if (trouble === undefined) return send(response, answer);
    if (trouble === "drop") return void incoming.socket.destroy();
    const { bytes, headers } = encoded(answer);
    if (trouble === "oversize") {
      response.writeHead(answer.status, headers);
      // The object never closes: no client can parse it, and none may keep it in memory.
      response.write(bytes.subarray(0, -1));
      const more = Buffer.from(`,"padding":"${"x".repeat(65_536)}"`);
      const push = (): void => {
        while (!response.destroyed && response.write(more));
        if (!response.destroyed) response.once("drain", push);
      };
      return push();
    }
    response.writeHead(answer.status, { ...headers, "content-length": String(bytes.length) });
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.destroy());
  }
}

function encoded({ headers = {}, json, text = "" }: FakeAnswer): { bytes: Buffer; headers: Record<string, string> } {
  if (json === undefined)
    return { bytes: Buffer.from(text), headers: { "content-type": "text/plain; charset=utf-8", ...headers } };
  return {
    bytes: Buffer.from(JSON.stringify(json)),
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  };
}

function send(response: ServerResponse, answer: FakeAnswer): void {
  const { bytes, headers } = encoded(answer);
  // 204 has no body and no headers about one.
  response.writeHead(answer.status, answer.status === 204 ? (answer.headers ?? {}) : headers);
  response.end(answer.status === 204 ? undefined : bytes);
}

/** The body as a JSON object; null for any other body. */
export function jsonBody(body: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(body));
  } catch {
    return null;
  }
}

export function asRecord(value: unknown): Record<string, unknown> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value));
}
