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

/**
 * Who a call's key belongs to. Memory says it for a thousand agents and five minutes each
 * (docs/design/agent-protocol.md#admission); beyond that the session says it, which was signed when this key had been checked against its hash.
 * It is no five minutes that revoking waits for, in either: the epoch goes to the agent's dispatcher with every call, and that
 * of a key that was revoked since is older than what the dispatcher was told before libSQL (invariant 8). The dispatcher then has it
 * checked anew, and its refusal is remembered: who polls on with it for ever costs a query in ten seconds. That a session
 * vouches for an hour at most is for the day on which the dispatchers come back from an older copy than libSQL. Without memory
 * and session it is libSQL and bcrypt. Throws `unauthorized`.
 */
export async function verifyCallingKey(deps: Deps, key: string, session: AgentSession | null): Promise<VerifiedAgent> {
  const keyDigest = digestOf(deps, key);
  const known = cache.get(keyDigest, deps.now());
  if (known === null) throw unauthorized();
  const vouched = session === null ? null : vouchedEpoch(session, keyDigest, deps.now());
  // The one that was verified later: after a change either of the two can be behind.
  if (session !== null && vouched !== null && vouched > (known?.epoch ?? -1)) {
    return { agentId: session.agentId, epoch: vouched };
  }
  return known ?? toVerified(await verifyByPrefix(deps, prefixOf(deps, key), key));
}

/**
 * Who registers, always read anew. What comes too often, and a key that was refused a moment ago, costs no query. Nobody
 * can use up another agent's share: the limit is asked with keys of ours alone, and each has its own prefix. Throws
 * `unauthorized` or `rate_limit_exceeded`.
 */
export async function verifyRegisteringKey(deps: Deps, key: string): Promise<AgentIdentity> {
  const prefix = prefixOf(deps, key);
  if (cache.get(digestOf(deps, key), deps.now()) === null) throw unauthorized();
  const retryAfterSeconds = registrations.enter(prefix, deps.now());
  if (retryAfterSeconds !== null) {
    throw new ProblemError(
      "rate_limit_exceeded",
      `This agent registers too often. Look in its log for the reason; it is taken again in ${retryAfterSeconds} s.`,
      { headers: { "Retry-After": String(retryAfterSeconds) } },
    );
  }
  return verifyByPrefix(deps, prefix, key);
}

/** The same past the cache, with the agent's record as it stands. */
export async function verifyAgentKeyAnew(deps: Deps, key: string): Promise<AgentIdentity> {
  return verifyByPrefix(deps, prefixOf(deps, key), key);
}

/**
 * Both parts of a key carry a tag of ours: what was guessed costs no object, query or bcrypt
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
