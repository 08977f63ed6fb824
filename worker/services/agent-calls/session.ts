import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { SESSION_VOUCHES_MS } from "../../../schema/limits.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { openSigned, signValue } from "../signed-value.ts";

const LABEL = "agent-session";

const sessionSchema = z.object({
  poolObject: z.string(),
  agentId: z.string(),
  instanceId: z.string(),
  /** Absent in older sessions. */
  verified: z
    .object({
      /** Digest of the key for which the session was given (`keyDigestOf`). */
      keyDigest: z.string(),
      /** The agent's epoch at that time. */
      epoch: z.int(),
      /** Epoch ms. */
      until: z.int(),
    })
    .nullable()
    .default(null),
});

/** The dispatcher of an agent's calls, and the process that makes them (docs/design/agent-protocol.md#sessions). */
export type AgentSession = z.infer<typeof sessionSchema>;

/** Opaque, and signed so that no agent can name another's dispatcher or process. Alone it grants nothing. */
export function signSession(serverSecret: string, session: AgentSession): string {
  return signValue(serverSecret, LABEL, Buffer.from(JSON.stringify(session)).toString("base64url"));
}

const OPENED_MAX = 1_000;
/** Sessions that were opened, in the memory of one isolate, because agents call often. Their content never changes. */
const opened = new BoundedMap<string, { session: AgentSession; serverSecret: string }>(OPENED_MAX);

/** Null for anything that this deployment did not sign. */
export function openSession(serverSecret: string, signed: string): AgentSession | null {
  const known = opened.get(signed);
  if (known?.serverSecret === serverSecret) return known.session;
  const body = openSigned(serverSecret, LABEL, signed);
  if (body === null) return null;
  const parsed = sessionSchema.safeParse(JSON.parse(Buffer.from(body, "base64url").toString()));
  if (!parsed.success) return null;
  opened.set(signed, { session: parsed.data, serverSecret });
  return parsed.data;
}

/**
 * A session's statement about a key that was just verified. It holds for half an hour to an hour, depending on the key,
 * so that agents that registered together do not all query libSQL in one moment. `now` is epoch ms.
 */
export function vouchFor(keyDigest: string, epoch: number, now: number): AgentSession["verified"] {
  const share = 0.5 + Buffer.from(keyDigest, "base64url").readUInt16BE() / 2 ** 17;
  return { keyDigest, epoch, until: now + Math.floor(share * SESSION_VOUCHES_MS) };
}

/**
 * The agent's epoch when its session was given for this key; null for a session that was given for another key, is too
 * old, or does not say. A session is of no use without its key. The dispatcher decides by the epoch whether the key is
 * still valid. `now` is epoch ms.
 */
export function vouchedEpoch({ verified }: AgentSession, keyDigest: string, now: number): number | null {
  if (verified === null || now >= verified.until) return null;
  return isSame(verified.keyDigest, keyDigest) ? verified.epoch : null;
}

/** In constant time. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
