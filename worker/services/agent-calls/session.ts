import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";

const sessionSchema = z.object({
  poolObject: z.string(),
  /** Older sessions name none. */
  shard: z.string().nullable().default(null),
  agentId: z.string(),
  instanceId: z.string(),
});

/** Where an agent's calls go, and which of its processes makes them (design 4, "Agent"). */
export type AgentSession = z.infer<typeof sessionSchema>;

/** Opaque to the agent: signed, so that no agent can name another's Pool or process. It grants nothing by itself. */
export function sealSession(serverSecret: string, session: AgentSession): string {
  const body = Buffer.from(JSON.stringify(session)).toString("base64url");
  return `${body}.${signatureOf(serverSecret, body)}`;
}

/** Null for anything that this deployment did not seal. */
export function openSession(serverSecret: string, sealed: string): AgentSession | null {
  const dot = sealed.indexOf(".");
  if (dot < 0) return null;
  const body = sealed.slice(0, dot);
  const given = Buffer.from(sealed.slice(dot + 1));
  const expected = Buffer.from(signatureOf(serverSecret, body));
  if (given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected)) return null;
  const parsed = sessionSchema.safeParse(JSON.parse(Buffer.from(body, "base64url").toString()));
  return parsed.success ? parsed.data : null;
}

function signatureOf(serverSecret: string, body: string): string {
  return createHmac("sha256", serverSecret).update(`agent-session\n${body}`).digest("base64url");
}
