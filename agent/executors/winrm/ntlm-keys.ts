import { createCipheriv, createHash, createHmac } from "node:crypto";
import type { Account } from "./account.ts";

/** The key derivation of NTLMv2 (MS-NLMP 3.3.2 and 3.4.5), with node:crypto. */

/** NTOWFv2: the key from the password, the user name in capitals, and the domain as it is sent. */
export function ntowfv2({ user, domain }: Account, password: string): Buffer {
  const hash = createHash("md4").update(utf16(password)).digest();
  return hmacMd5(hash, utf16(inCapitals(user) + domain));
}

/** As in Windows, each UTF-16 unit becomes one unit: `ß` stays unchanged. */
function inCapitals(name: string): string {
  const units = Array.from({ length: name.length }, (_, at) => name.charAt(at));
  return units.map((unit) => (unit.toUpperCase().length === 1 ? unit.toUpperCase() : unit)).join("");
}

export interface ChallengeAnswer {
  ntChallengeResponse: Buffer;
  sessionBaseKey: Buffer;
}

/** Answers a server's challenge. `fileTime`: eight bytes from the server or the clock. */
export function answerChallenge(
  responseKey: Buffer,
  given: { serverChallenge: Buffer; clientChallenge: Buffer; fileTime: Buffer; targetInfo: Buffer },
): ChallengeAnswer {
  const { serverChallenge, clientChallenge, fileTime, targetInfo } = given;
  const blob = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    fileTime,
    clientChallenge,
    Buffer.alloc(4),
    targetInfo,
    Buffer.alloc(4),
  ]);
  const proof = hmacMd5(responseKey, serverChallenge, blob);
  return { ntChallengeResponse: Buffer.concat([proof, blob]), sessionBaseKey: hmacMd5(responseKey, proof) };
}

/** LMv2, for a server without a timestamp. With a timestamp the field stays empty (MS-NLMP 3.1.5.1.2). */
export function answerLm(responseKey: Buffer, serverChallenge: Buffer, clientChallenge: Buffer): Buffer {
  return Buffer.concat([hmacMd5(responseKey, serverChallenge, clientChallenge), clientChallenge]);
}

export interface DirectionKeys {
  signing: Buffer;
  sealing: Buffer;
}

/** The keys of one direction for 128-bit sessions with extended security (SIGNKEY, SEALKEY). */
export function directionKeys(sessionKey: Buffer, direction: "client-to-server" | "server-to-client"): DirectionKeys {
  const key = (kind: string): Buffer =>
    createHash("md5").update(sessionKey).update(`session key to ${direction} ${kind} key magic constant\0`).digest();
  return { signing: key("signing"), sealing: key("sealing") };
}

export function hmacMd5(key: Buffer, ...parts: Buffer[]): Buffer {
  const hmac = createHmac("md5", key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** A running RC4 stream: each call continues after the last one. */
export function rc4(key: Buffer): (bytes: Buffer) => Buffer {
  const cipher = createCipheriv("rc4", key, null);
  return (bytes) => cipher.update(bytes);
}

export function utf16(text: string): Buffer {
  return Buffer.from(text, "utf16le");
}
