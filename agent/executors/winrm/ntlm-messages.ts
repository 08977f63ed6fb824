import { ExecutorFailure } from "../shared/failures.ts";
import { utf16 } from "./ntlm-keys.ts";

/** The three messages of NTLM (MS-NLMP 2.2), as bytes. */
const SIGNATURE = Buffer.from("NTLMSSP\0", "latin1");
/** The version, sent only for debugging: 10.0, NTLM revision 15. */
const VERSION = Buffer.from([10, 0, 0, 0, 0, 0, 0, 15]);
const AUTHENTICATE_HEAD_BYTES = 88;
const MIC_AT = 72;

const UNICODE = 0x1;
const REQUEST_TARGET = 0x4;
const SIGN = 0x10;
const SEAL = 0x20;
const NTLM = 0x200;
const ALWAYS_SIGN = 0x8000;
const EXTENDED_SECURITY = 0x80000;
const TARGET_INFO = 0x800000;
const VERSION_REPORTED = 0x2000000;
const KEYS_OF_128_BITS = 0x20000000;
const KEY_EXCHANGE = 0x40000000;
const KEYS_OF_56_BITS = 0x80000000;

/** Required for NTLMv2 with session keys of 128 bits. A weaker offer is refused. */
const NEEDED = UNICODE | NTLM | EXTENDED_SECURITY | TARGET_INFO | KEYS_OF_128_BITS | KEY_EXCHANGE;
const ASKED = NEEDED | REQUEST_TARGET | ALWAYS_SIGN | VERSION_REPORTED | SIGN | SEAL | KEYS_OF_56_BITS;

/** The ids of a target-information list (MS-NLMP 2.2.2.1). */
export const AV = { end: 0, computerName: 1, flags: 6, timestamp: 7, targetName: 9, channelBindings: 10 } as const;
export type AvPairs = [id: number, value: Buffer][];
const AV_BYTES: Readonly<Record<number, number>> = { [AV.flags]: 4, [AV.timestamp]: 8 };

export interface Challenge {
  serverChallenge: Buffer;
  flags: number;
  pairs: AvPairs;
}

export function negotiateMessage(): Buffer {
  const message = Buffer.alloc(40);
  SIGNATURE.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(ASKED >>> 0, 12);
  VERSION.copy(message, 32);
  return message;
}

/** Throws `authentication_failed` when the challenge is not valid, or offers less than is safe. */
export function readChallenge(message: Buffer): Challenge {
  if (message.length < 48 || !message.subarray(0, 8).equals(SIGNATURE) || message.readUInt32LE(8) !== 2) {
    throw unusable("its challenge is not an NTLM message");
  }
  const flags = message.readUInt32LE(20);
  if ((flags & NEEDED) >>> 0 !== NEEDED >>> 0) throw unusable("it does not offer NTLMv2 with 128-bit session keys");
  const [length, start] = [message.readUInt16LE(40), message.readUInt32LE(44)];
  return {
    flags,
    serverChallenge: message.subarray(24, 32),
    pairs: readPairs(message.subarray(start, start + length)),
  };
}

export function writePairs(pairs: AvPairs): Buffer {
  const parts = [...pairs, [AV.end, Buffer.alloc(0)] as const].map(([id, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(id, 0);
    head.writeUInt16LE(value.length, 2);
    return Buffer.concat([head, value]);
  });
  return Buffer.concat(parts);
}

export interface AuthenticateFields {
  flags: number;
  lm: Buffer;
  nt: Buffer;
  domain: string;
  user: string;
  encryptedSessionKey: Buffer;
}

/** The third message with an empty MIC. `withMic` sets it when all three messages are known. */
export function authenticateMessage(fields: AuthenticateFields): Buffer {
  const payload = [
    fields.lm,
    fields.nt,
    utf16(fields.domain),
    utf16(fields.user),
    Buffer.alloc(0),
    fields.encryptedSessionKey,
  ];
  const head = Buffer.alloc(AUTHENTICATE_HEAD_BYTES);
  SIGNATURE.copy(head);
  head.writeUInt32LE(3, 8);
  let at = AUTHENTICATE_HEAD_BYTES;
  for (const [index, { length }] of payload.entries()) {
    head.writeUInt16LE(length, 12 + index * 8);
    head.writeUInt16LE(length, 14 + index * 8);
    head.writeUInt32LE(at, 16 + index * 8);
    at += length;
  }
  head.writeUInt32LE((fields.flags & ASKED) >>> 0, 60);
  VERSION.copy(head, 64);
  return Buffer.concat([head, ...payload]);
}

export function withMic(message: Buffer, mic: Buffer): Buffer {
  return Buffer.concat([message.subarray(0, MIC_AT), mic, message.subarray(MIC_AT + mic.length)]);
}

function readPairs(bytes: Buffer): AvPairs {
  const pairs: AvPairs = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const [id, length] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)];
    if (id === AV.end) return pairs;
    const value = bytes.subarray(at + 4, at + 4 + length);
    if (value.length < length) break;
    if (length !== (AV_BYTES[id] ?? length)) throw unusable(`its challenge has a field ${id} of ${length} bytes`);
    pairs.push([id, value]);
    at += 4 + length;
  }
  throw unusable("its challenge is cut off");
}

function unusable(what: string): ExecutorFailure {
  const message = `The login by NTLM failed: ${what}. Check which program answers on this port, and the host's NTLM policy.`;
  return new ExecutorFailure("authentication_failed", message);
}
