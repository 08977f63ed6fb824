import { ProtocolError } from "./packets.ts";

export const ENCRYPTION = { off: 0, on: 1, notSupported: 2, required: 3 } as const;
/** The client's value in PRELOGIN. */
export type ClientEncryption = (typeof ENCRYPTION)[keyof typeof ENCRYPTION];

export interface Login {
  username: string;
  password: string;
  database: string;
  application: string;
}

const TDS_7_4 = 0x74000004;
const FIXED_BYTES = 94;

/** PRELOGIN (MS-TDS 2.2.6.5): options by token, offset and length. */
export function readPrelogin(body: Buffer): ClientEncryption {
  if (body[0] !== 0) throw new ProtocolError("PRELOGIN must begin with its version");
  for (let at = 0; body[at] !== 0xff; at += 5) {
    const token = body[at];
    if (token === undefined || token > 7) throw new ProtocolError(`unknown PRELOGIN option ${token}`);
    const [offset, length] = [body.readUInt16BE(at + 1), body.readUInt16BE(at + 3)];
    if (offset + length > body.length) throw new ProtocolError("a PRELOGIN option beyond the end");
    if (token !== 1) continue;
    const value = Object.values(ENCRYPTION).find((known) => known === body[offset]);
    if (length !== 1 || value === undefined) throw new ProtocolError("an unknown word about encryption");
    return value;
  }
  throw new ProtocolError("PRELOGIN says nothing about encryption");
}

export function preloginAnswer(encryption: number): Buffer {
  const options: [number, Buffer][] = [
    [0, Buffer.from([16, 0, 0x03, 0xe8, 0, 6])],
    [1, Buffer.from([encryption])],
    [2, Buffer.from([0])],
    [3, Buffer.alloc(0)],
    [4, Buffer.from([0])],
  ];
  let offset = options.length * 5 + 1;
  const heads = options.map(([token, value]) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(token, 0);
    head.writeUInt16BE(offset, 1);
    head.writeUInt16BE(value.length, 3);
    offset += value.length;
    return head;
  });
  return Buffer.concat([...heads, Buffer.from([0xff]), ...options.map(([, value]) => value)]);
}

/** LOGIN7 (MS-TDS 2.2.6.4); the password's bits are swapped, not encrypted. */
export function readLogin(body: Buffer): Login {
  if (body.length < FIXED_BYTES || body.readUInt32LE(0) !== body.length)
    throw new ProtocolError("LOGIN7 has a wrong length");
  if (body.readUInt32LE(4) !== TDS_7_4) throw new ProtocolError(`TDS version ${body.readUInt32LE(4).toString(16)}`);
  const raw = (at: number): Buffer => {
    const [offset, characters] = [body.readUInt16LE(at), body.readUInt16LE(at + 2)];
    if (offset < FIXED_BYTES || offset + 2 * characters > body.length)
      throw new ProtocolError("LOGIN7 points beyond its end");
    return body.subarray(offset, offset + 2 * characters);
  };
  const text = (at: number): string => raw(at).toString("utf16le");
  if (text(40).length > 128) throw new ProtocolError("a user name of more than 128 characters");
  const password = Buffer.from(raw(44).map((byte) => exchanged(byte ^ 0xa5))).toString("utf16le");
  return { username: text(40), password, application: text(48), database: text(68) };
}

function exchanged(byte: number): number {
  return ((byte << 4) & 0xf0) | (byte >> 4);
}
