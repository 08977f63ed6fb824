import type { Duplex } from "node:stream";
import { type Bytes, type Message, PACKET, packetsOf, ProtocolError, readMessage } from "./packets.ts";
import { readBatch, readRpc, type TdsRequest } from "./requests.ts";
import { type Output, statementOf } from "./statements.ts";
import {
  changeToken,
  columnsToken,
  doneToken,
  errorToken,
  returnStatusToken,
  rowToken,
  type Column,
} from "./tokens.ts";

/** The server's record of one request. */
export interface Served extends TdsRequest {
  ended: "running" | "done" | "cancelled" | "connection closed";
}

export interface Journal {
  served: Served[];
  /** Writes of statements, after their commit. */
  committed: string[];
}

const TRANSACTION = 7n;
const BUFFER_BYTES = 16 * 1_024;

/** The part after a login: one request at a time, and an ATTENTION in between. Ends with the connection. */
export async function serveSession(bytes: Bytes, stream: Duplex, journal: Journal): Promise<void> {
  let transaction: string[] | null = null;
  let running: { controller: AbortController; done: Promise<void>; served: Served } | null = null;
  try {
    for (;;) {
      const message = await readMessage(bytes);
      if (message === null) return;
      if (message.type === PACKET.attention) {
        if (message.body.length > 0) throw new ProtocolError("an ATTENTION has no body");
        if (running?.served.ended === "running") running.served.ended = "cancelled";
        running?.controller.abort();
        await running?.done;
        running = null;
        stream.write(packetsOf(PACKET.answer, doneToken("done", { attention: true }), true));
        continue;
      }
      if (running?.served.ended === "running") throw new ProtocolError("a request before the end of the last one");
      const request = requestOf(message);
      if (request.transaction !== (transaction === null ? 0n : TRANSACTION))
        throw new ProtocolError("another transaction");
      const controller = new AbortController();
      const served: Served = { ...request, ended: "running" };
      journal.served.push(served);
      const keep = (writes: string): void => void (transaction ?? journal.committed).push(writes);
      if (request.sql === "BEGIN TRANSACTION") transaction = [];
      running = { controller, served, done: answer(message, served, stream, controller.signal, keep) };
    }
  } finally {
    // An open transaction is rolled back with the connection.
    if (running?.served.ended === "running") running.served.ended = "connection closed";
    running?.controller.abort();
  }
}

function requestOf(message: Message): TdsRequest {
  if (message.type === PACKET.batch) return readBatch(message.body);
  if (message.type === PACKET.rpc) return readRpc(message.body);
  throw new ProtocolError(`a message of type ${message.type} after the login`);
}

async function answer(
  message: Message,
  served: Served,
  stream: Duplex,
  signal: AbortSignal,
  keep: (writes: string) => void,
): Promise<void> {
  const writer = new Writer(stream);
  const isRpc = message.type === PACKET.rpc;
  let failed = false;
  if (served.sql === "BEGIN TRANSACTION") {
    const descriptor = Buffer.alloc(8);
    descriptor.writeBigUInt64LE(TRANSACTION);
    await writer.token(changeToken(8, descriptor));
  } else if (isRpc || !isSettings(served.sql)) {
    let columns: readonly Column[] = [];
    let open = false;
    const output: Output = {
      signal,
      columns: async (given) => {
        if (open) await writer.token(doneToken(isRpc ? "inProc" : "done", { more: true }));
        open = true;
        columns = given;
        await writer.token(columnsToken(given));
      },
      row: (values) => writer.token(rowToken(columns, values)),
      error: async (number, text, severity) => {
        failed = true;
        await writer.token(errorToken(number, text, severity));
      },
    };
    const end = await statementOf(served.sql.trim())(served, output);
    if (end.writes !== undefined && !signal.aborted) keep(end.writes);
    if (isRpc && !failed)
      await writer.token(doneToken("inProc", { more: true, ...(end.count === undefined ? {} : { count: end.count }) }));
    else if (end.count !== undefined) await writer.token(doneToken("done", { more: true, count: end.count }));
  }
  if (isRpc) await writer.token(returnStatusToken(0));
  await writer.token(doneToken(isRpc ? "proc" : "done", { error: failed }));
  if (served.ended === "running") served.ended = "done";
  await writer.end();
}

/** Settings that clients send first, such as `set ansi_nulls on`. */
function isSettings(sql: string): boolean {
  return sql.split(/\r?\n|;/u).every((line) => /^\s*(?:set [\w\s]+)?$/iu.test(line));
}

/** Writes one message; waits while the client does not read. */
class Writer {
  #tokens: Buffer[] = [];
  #bytes = 0;

  constructor(private readonly stream: Duplex) {}

  async token(token: Buffer): Promise<void> {
    this.#tokens.push(token);
    this.#bytes += token.length;
    if (this.#bytes < BUFFER_BYTES || this.stream.destroyed) return;
    const free = this.stream.write(packetsOf(PACKET.answer, this.#take(), false));
    // During an endless result the server must still receive an ATTENTION.
    if (free) await new Promise((resolve) => setImmediate(resolve));
    else await drained(this.stream);
  }

  async end(): Promise<void> {
    if (!this.stream.destroyed) this.stream.write(packetsOf(PACKET.answer, this.#take(), true));
  }

  #take(): Buffer {
    const body = Buffer.concat(this.#tokens);
    this.#tokens = [];
    this.#bytes = 0;
    return body;
  }
}

async function drained(stream: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once("drain", resolve);
  stream.once("close", resolve);
  await promise;
  stream.off("drain", resolve);
  stream.off("close", resolve);
}
