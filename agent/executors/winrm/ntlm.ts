import { createHash, randomBytes } from "node:crypto";
import type { Account } from "./account.ts";
import { answerChallenge, answerLm, hmacMd5, ntowfv2, rc4, utf16 } from "./ntlm-keys.ts";
import { authenticateMessage, AV, type AvPairs, readChallenge, withMic, writePairs } from "./ntlm-messages.ts";

const TIME_BYTES = 8;
const WITH_MIC = 0x2;
/** From 1601, the epoch of Windows, to 1970. */
const WINDOWS_EPOCH_MS = 11_644_473_600_000n;

export interface NtlmLogin {
  account: Account;
  password: string;
  /** The service of the login: `HTTP/host`. A login that is relayed to another service does not match there. */
  service: string;
  /** The value of `tls-server-end-point` with TLS, which binds the login to this TLS connection. */
  channelBinding: Buffer | null;
  now: number;
}

export interface NtlmAnswer {
  message: Buffer;
  sessionKey: Buffer;
}

/** Answers a challenge with NTLMv2 and a message integrity code over all three messages (MS-NLMP 3.1.5.1.2). */
export function answerNtlm(negotiate: Buffer, challengeMessage: Buffer, login: NtlmLogin): NtlmAnswer {
  const challenge = readChallenge(challengeMessage);
  const timestamp = challenge.pairs.find(([id]) => id === AV.timestamp)?.[1];
  const account = { ...login.account, domain: domainFor(login.account, challenge.pairs) };
  const responseKey = ntowfv2(account, login.password);
  const clientChallenge = randomBytes(8);
  const { ntChallengeResponse, sessionBaseKey } = answerChallenge(responseKey, {
    serverChallenge: challenge.serverChallenge,
    clientChallenge,
    fileTime: timestamp ?? fileTime(login.now),
    targetInfo: writePairs(ownPairs(challenge.pairs, login)),
  });
  const sessionKey = randomBytes(16);
  const message = authenticateMessage({
    flags: challenge.flags,
    lm: timestamp === undefined ? answerLm(responseKey, challenge.serverChallenge, clientChallenge) : Buffer.alloc(24),
    nt: ntChallengeResponse,
    ...account,
    encryptedSessionKey: rc4(sessionBaseKey)(sessionKey),
  });
  const mic = hmacMd5(sessionKey, negotiate, challengeMessage, message);
  return { message: withMic(message, mic), sessionKey };
}

/** The host's list, with this login's additions: the MIC, the service, and the TLS connection (MS-NLMP 2.2.2.1). */
function ownPairs(pairs: AvPairs, { service, channelBinding }: NtlmLogin): AvPairs {
  const flags = Buffer.alloc(4);
  flags.writeUInt32LE(((pairs.find(([id]) => id === AV.flags)?.[1].readUInt32LE(0) ?? 0) | WITH_MIC) >>> 0);
  const own = new Set<number>([AV.flags, AV.targetName, AV.channelBindings]);
  return [
    ...pairs.filter(([id]) => !own.has(id)),
    [AV.flags, flags],
    [AV.targetName, utf16(service)],
    [AV.channelBindings, channelBinding === null ? Buffer.alloc(16) : bindingsHash(channelBinding)],
  ];
}

/** MD5 of gss_channel_bindings_struct without addresses (RFC 2744, 3.11; RFC 5929, 4). */
function bindingsHash(endPoint: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from("tls-server-end-point:"), endPoint]);
  const head = Buffer.alloc(20);
  head.writeUInt32LE(data.length, 16);
  return createHash("md5").update(head).update(data).digest();
}

/** `.\user` is an account of the host, whose name is in the challenge. */
function domainFor({ domain }: Account, pairs: AvPairs): string {
  if (domain !== ".") return domain;
  return pairs.find(([id]) => id === AV.computerName)?.[1].toString("utf16le") ?? "";
}

function fileTime(now: number): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeBigUInt64LE((BigInt(now) + WINDOWS_EPOCH_MS) * 10_000n);
  return bytes;
}
