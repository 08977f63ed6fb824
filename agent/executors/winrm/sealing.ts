import { timingSafeEqual } from "node:crypto";
import { ExecutorFailure } from "../shared/failures.ts";
import { type DirectionKeys, directionKeys, hmacMd5, rc4 } from "./ntlm-keys.ts";

const SIGNATURE_BYTES = 16;
const LENGTH_BYTES = 4;

/** Encrypts and signs the messages of one authenticated connection, and checks the answers. */
export interface Sealing {
  /** The length of the signature in four bytes, the signature, the encrypted bytes (MS-WSMV 2.2.9.1.2.2). */
  seal(bytes: Buffer): Buffer;
  /** Throws `invalid_response` when the host did not sign these bytes. */
  unseal(bytes: Buffer): Buffer;
}

/** Message security of NTLM with a session key of 128 bits and key exchange (MS-NLMP 3.4.3 and 3.4.4). */
export function ntlmSealing(sessionKey: Buffer): Sealing {
  const out = new Direction(directionKeys(sessionKey, "client-to-server"));
  const back = new Direction(directionKeys(sessionKey, "server-to-client"));
  return {
    seal(bytes) {
      const sealed = out.crypt(bytes);
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(SIGNATURE_BYTES);
      return Buffer.concat([length, out.signature(bytes), sealed]);
    },
    unseal(bytes) {
      if (bytes.length < LENGTH_BYTES + SIGNATURE_BYTES || bytes.readUInt32LE(0) !== SIGNATURE_BYTES) throw tampered();
      const signature = bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + SIGNATURE_BYTES);
      const plain = back.crypt(bytes.subarray(LENGTH_BYTES + SIGNATURE_BYTES));
      if (!timingSafeEqual(signature, back.signature(plain))) throw tampered();
      return plain;
    },
  };
}

class Direction {
  readonly crypt: (bytes: Buffer) => Buffer;
  readonly #signing: Buffer;
  #sequence = 0;

  constructor(keys: DirectionKeys) {
    this.crypt = rc4(keys.sealing);
    this.#signing = keys.signing;
  }

  /** Called after `crypt` for the same message: both use one key stream, in this order. */
  signature(plain: Buffer): Buffer {
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32LE(this.#sequence);
    this.#sequence += 1;
    const checksum = this.crypt(hmacMd5(this.#signing, sequence, plain).subarray(0, 8));
    return Buffer.concat([Buffer.from([1, 0, 0, 0]), checksum, sequence]);
  }
}

function tampered(): ExecutorFailure {
  const message =
    "The host's answer is not encrypted as this login agreed: its signature does not fit. A machine between the agent and the host changes the messages. Use HTTPS (useSsl), or check that machine.";
  return new ExecutorFailure("invalid_response", message);
}
