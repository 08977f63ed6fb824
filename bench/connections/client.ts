import type { Socket } from "bun";
import { isWhole } from "../load.ts";

/** A request without an answer, and where in its connection's life that was. */
export interface Lost {
  /** `reset`: RST. `closed`: FIN. `silent`: no answer within a minute. */
  how: "reset" | "closed" | "silent";
  answersBefore: number;
  /** Between the last answer, or the connection's start, and the request. */
  idleMs: number;
  waitedMs: number;
  bytesReceived: number;
}

export interface Tally {
  answers: Record<string, number>;
  lost: Lost[];
  /** Connections that the service closed between two requests. */
  closedIdle: number;
  failedConnects: number;
  seconds: number;
  slowestMs: number;
}

const SILENT_AFTER_MS = 60_000;

/** Sends each request once, over this many keep-alive connections with a pause before each further request. */
export async function send(options: {
  url: string;
  connections: number;
  requests: readonly Uint8Array[];
  pauseMs: () => number;
}): Promise<Tally> {
  const tally: Tally = { answers: {}, lost: [], closedIdle: 0, failedConnects: 0, seconds: 0, slowestMs: 0 };
  const startedAt = performance.now();
  const left = options.requests.values();
  await Promise.all(Array.from({ length: options.connections }, () => sendInTurn(options, left, tally)));
  tally.seconds = (performance.now() - startedAt) / 1_000;
  return tally;
}

async function sendInTurn(
  { url, pauseMs }: { url: string; pauseMs: () => number },
  left: IterableIterator<Uint8Array>,
  tally: Tally,
): Promise<void> {
  let connection: Connection | null = null;
  for (const request of left) {
    if (connection?.hasEnded === true) {
      tally.closedIdle += 1;
      connection = null;
    }
    connection ??= await Connection.open(new URL(url)).catch(() => null);
    if (connection === null) {
      tally.failedConnects += 1;
      continue;
    }
    const { status, waitedMs, lost } = await connection.exchange(request);
    tally.slowestMs = Math.max(tally.slowestMs, waitedMs);
    if (lost === undefined) tally.answers[status] = (tally.answers[status] ?? 0) + 1;
    else {
      tally.lost.push(lost);
      connection = null;
    }
    await Bun.sleep(pauseMs());
  }
  connection?.end();
}

class Connection {
  hasEnded = false;
  #socket: Socket | undefined;
  #received = "";
  #answersBefore = 0;
  #quietSince = performance.now();
  #outcome: ((how: Lost["how"] | "answered") => void) | undefined;

  static async open({ hostname, port }: URL): Promise<Connection> {
    const connection = new Connection();
    const ended = (how: Lost["how"]) => {
      connection.hasEnded = true;
      connection.#outcome?.(how);
    };
    connection.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_socket, chunk) => {
          connection.#received += chunk.toString("latin1");
          if (isWhole(connection.#received)) connection.#outcome?.("answered");
        },
        end: () => ended("closed"),
        close: (_socket, error) => ended(error === undefined ? "closed" : "reset"),
      },
    });
    return connection;
  }

  async exchange(request: Uint8Array): Promise<{ status: string; waitedMs: number; lost?: Lost }> {
    const sentAt = performance.now();
    const outcome = Promise.withResolvers<Lost["how"] | "answered">();
    this.#outcome = outcome.resolve;
    const silence = setTimeout(() => outcome.resolve("silent"), SILENT_AFTER_MS);
    this.#socket?.write(request);
    const how = await outcome.promise;
    clearTimeout(silence);
    const [status, bytesReceived] = [this.#received.slice(9, 12), this.#received.length];
    const [now, answersBefore, idleMs] = [performance.now(), this.#answersBefore, sentAt - this.#quietSince];
    const waitedMs = now - sentAt;
    this.#received = "";
    this.#outcome = undefined;
    this.#quietSince = now;
    this.#answersBefore += 1;
    if (how === "answered") return { status, waitedMs };
    this.end();
    return { status, waitedMs, lost: { how, answersBefore, idleMs, waitedMs, bytesReceived } };
  }

  end(): void {
    this.#socket?.terminate();
  }
}
