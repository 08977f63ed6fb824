import { AGENT_REGISTRATIONS_PER_MINUTE } from "../../../schema/limits.ts";
import { findAgentByKeyPrefix } from "../../store/agent-registrations.ts";
import type { AgentIdentity } from "../../store/agent-registrations.ts";
import type { Deps } from "../deps.ts";
import { checkAgentKey } from "../keys.ts";
import { ProblemError } from "../problem.ts";
import { RateLimit } from "../rate-limit.ts";
import { secretMatches } from "../secret-hash.ts";
import { AgentKeyCache } from "./agent-key-cache.ts";
import type { VerifiedAgent } from "./agent-key-cache.ts";
import { keyDigestOf } from "./key-digest.ts";
import { vouchedEpoch } from "./session.ts";
import type { AgentSession } from "./session.ts";

/** One for each isolate. It holds digests, never keys. */
const cache = new AgentKeyCache();

const REGISTERING_AGENTS_MAX = 20_000;
/** One for each isolate. */
const registrations = new RateLimit(
  { limit: AGENT_REGISTRATIONS_PER_MINUTE, windowMs: 60_000 },
  REGISTERING_AGENTS_MAX,
);

export interface CallingKey {
  key: string;
  /** Of `keyDigestOf`. */
  keyDigest: string;
}

/**
 * The agent that a call's key belongs to: from the cache, else from the session, else from libSQL and bcrypt.
 * docs/design/agent-protocol.md#admission says why cache and session do not delay a revocation (invariant 8). Throws
 * `unauthorized`.
 */
export async function verifyCallingKey(
  deps: Deps,
  { key, keyDigest }: CallingKey,
  session: AgentSession | null,
): Promise<VerifiedAgent> {
  const known = cache.get(keyDigest, deps.now());
  if (known === null) throw unauthorized();
  const vouched = session === null ? null : vouchedEpoch(session, keyDigest, deps.now());
  // The one that was verified later counts: after a change either of the two can be out of date.
  if (session !== null && vouched !== null && vouched > (known?.epoch ?? -1)) {
    return { agentId: session.agentId, epoch: vouched };
  }
  return known ?? toVerified(await verifyByPrefix(deps, prefixOf(deps, key), key));
}

/**
 * The agent that registers, always read from libSQL. Too many registrations, and a key that was refused a moment ago,
 * cost no query. No one can use up another agent's share: only keys with the deployment's tag reach the limit, and each
 * has its own prefix. Throws `unauthorized` or `rate_limit_exceeded`.
 */
export async function verifyRegisteringKey(deps: Deps, key: string): Promise<AgentIdentity> {
  const prefix = prefixOf(deps, key);
  if (cache.get(digestOf(deps, key), deps.now()) === null) throw unauthorized();
  const retryAfterSeconds = registrations.enter(prefix, deps.now());
  if (retryAfterSeconds !== null) {
    throw new ProblemError(
      "rate_limit_exceeded",
      `This agent registers too often. Check its log for the reason. It may register again in ${retryAfterSeconds} s.`,
      { headers: { "Retry-After": String(retryAfterSeconds) } },
    );
  }
  return verifyByPrefix(deps, prefix, key);
}

/** The same without the cache and the limit, with the agent's current record. */
export async function verifyAgentKeyAgain(deps: Deps, key: string): Promise<AgentIdentity> {
  return verifyByPrefix(deps, prefixOf(deps, key), key);
}

/**
 * Both parts of a key carry the deployment's tag, so a guess costs no object, query or bcrypt
 * (docs/design/http-api.md#keys).
 */
function prefixOf(deps: Deps, key: string): string {
  const checked = checkAgentKey(deps.settings.secret, key);
  if (checked === null) throw unauthorized();
  return checked.prefix;
}

async function verifyByPrefix(deps: Deps, prefix: string, key: string): Promise<AgentIdentity> {
  const agent = await findAgentByKeyPrefix(deps.db, prefix);
  const verified = agent !== null && (await secretMatches(key, agent.keyHash)) ? agent : null;
  cache.set(digestOf(deps, key), verified === null ? null : toVerified(verified), deps.now());
  if (verified === null) throw unauthorized();
  return verified;
}

function toVerified({ id, epoch }: AgentIdentity): VerifiedAgent {
  return { agentId: id, epoch };
}

function digestOf({ settings }: Deps, key: string): string {
  return keyDigestOf(settings.secret, key);
}

function unauthorized(): ProblemError {
  return new ProblemError(
    "unauthorized",
    "The agent key is not valid. Set AGENT_API_KEY to the key shown when the agent was created or its key regenerated.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}
