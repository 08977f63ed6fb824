import type { Duplex } from "node:stream";

/** Packet types of a client (MS-TDS 2.2.3.1.1), and the one type of answers. */
export const PACKET = { batch: 0x01, rpc: 0x03, answer: 0x04, attention: 0x06, login: 0x10, prelogin: 0x12 } as const;
const HEADER_BYTES = 8;
const PACKET_BYTES = 4_096;
const END_OF_MESSAGE = 0x01;
const IGNORE = 0x02;
const KNOWN_STATUS = 0x01 | 0x02 | 0x08 | 0x10;

export interface Message {
  type: number;
  body: Buffer;
  /** The client aborted the message before its end. */
  ignored: boolean;
}

/** A violation in a client's bytes: the connection is closed, as in SQL Server. */
export class ProtocolError extends Error {}

/** Reads a stream in pieces of given sizes. */
export class Bytes {
  #chunks: Buffer = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(readonly stream: Duplex) {
    stream.on("data", (chunk: Buffer) => {
      this.#chunks = this.#chunks.length === 0 ? chunk : Buffer.concat([this.#chunks, chunk]);
      this.#wake();
    });
    for (const end of ["end", "close", "error"]) {
      stream.on(end, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  /** Null when the stream ended before that. */
  async take(size: number): Promise<Buffer | null> {
    if (!(await this.#has(size))) return null;
    const taken = this.#chunks.subarray(0, size);
    this.#chunks = this.#chunks.subarray(size);
    return taken;
  }

  async peek(): Promise<number | null> {
    return (await this.#has(1)) ? (this.#chunks[0] ?? null) : null;
  }

  /** All received bytes that are not taken yet; the caller then reads the stream itself. */
  release(): Buffer {
    this.stream.removeAllListeners("data");
    return this.#chunks;
  }

  async #has(size: number): Promise<boolean> {
    while (this.#chunks.length < size) {
      if (this.#ended) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return true;
  }
}

/** One packet; null at the end of the connection. */
export async function readPacket(bytes: Bytes): Promise<{ type: number; status: number; body: Buffer } | null> {
  const header = await bytes.take(HEADER_BYTES);
  if (header === null) return null;
  const [type = 0, status = 0] = header;
  const length = header.readUInt16BE(2);
  const known: readonly number[] = Object.values(PACKET);
  if (!known.includes(type) || type === PACKET.answer)
    throw new ProtocolError(`no client sends packets of type ${type}`);
  if ((status & ~KNOWN_STATUS) !== 0) throw new ProtocolError(`unknown status ${status}`);
  if (length < HEADER_BYTES || length > PACKET_BYTES) throw new ProtocolError(`a packet of ${length} bytes`);
  if (header.readUInt16BE(4) !== 0 && type !== PACKET.attention) throw new ProtocolError("a client sends no SPID");
  const body = await bytes.take(length - HEADER_BYTES);
  return body === null ? null : { type, status, body };
}

/** A whole message of a client; null at the end of the connection. */
export async function readMessage(bytes: Bytes): Promise<Message | null> {
  const parts: Buffer[] = [];
  for (let type: number | null = null; ;) {
    const packet = await readPacket(bytes);
    if (packet === null) return null;
    if (type !== null && packet.type !== type) throw new ProtocolError("a message changed its type");
    type = packet.type;
    parts.push(packet.body);
    if ((packet.status & END_OF_MESSAGE) === 0) continue;
    return { type, body: Buffer.concat(parts), ignored: (packet.status & IGNORE) !== 0 };
  }
}

/** Cuts bytes into packets of one message; the last one ends it if `last`. */
export function packetsOf(type: number, body: Buffer, last: boolean): Buffer {
  const packets: Buffer[] = [];
  const room = PACKET_BYTES - HEADER_BYTES;
  for (let at = 0; at < body.length || packets.length === 0; at += room) {
    const part = body.subarray(at, at + room);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(type, 0);
    header.writeUInt8(last && at + room >= body.length ? END_OF_MESSAGE : 0, 1);
    header.writeUInt16BE(part.length + HEADER_BYTES, 2);
    header.writeUInt16BE(0x34, 4);
    header.writeUInt8((packets.length + 1) % 256, 6);
    packets.push(Buffer.concat([header, part]));
  }
  return Buffer.concat(packets);
}
