import { createAgentSchema } from "../../../schema/contract/management.ts";
import type { AgentView } from "../../../schema/contract/management.ts";
import { findAgent, insertAgent, markAgentPushed } from "../../store/agents.ts";
import type { AgentRow } from "../../store/agents.ts";
import { writeBatch } from "../../store/database.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { mintAgentKey } from "../keys.ts";
import { logWarning } from "../log.ts";
import { notFound } from "../not-found.ts";
import { parseInput } from "../parse.ts";
import { hashSecret } from "../secret-hash.ts";
import { agentSettings, configureAgent } from "./push-agent.ts";
import { viewAgent } from "./view.ts";
import { failureMessage } from "../../store/errors.ts";

const FIRST_EPOCH = 1;

/** Creates an agent. `apiKey` is shown only now; the database has its prefix and its bcrypt hash. */
export async function createAgent(
  deps: Deps,
  actor: string,
  input: unknown,
): Promise<{ agent: AgentView; apiKey: string }> {
  const { name, description, poolId } = parseInput(createAgentSchema, input);
  const now = deps.now();
  const id = deps.newId("agent");
  const { prefix, key } = mintAgentKey(deps.settings.secret);
  await writeBatch(deps.db, [
    insertAgent(deps.db, {
      id,
      name,
      description: description ?? null,
      poolId: poolId ?? null,
      keyPrefix: prefix,
      keyHash: await hashSecret(key),
      epoch: FIRST_EPOCH,
      createdAt: now,
      updatedAt: now,
    }),
    record(deps, {
      actor,
      verb: "create",
      subjectType: "agent",
      subjectId: id,
      detail: { name, poolId: poolId ?? null },
    }),
  ]);
  const row = await findAgent(deps.db, id);
  if (row === null) throw notFound("agent", id);
  await introduce(deps, row);
  return { agent: await viewAgent(deps, row), apiKey: key };
}

/**
 * Adds the new member to its dispatcher. A failure does not fail the call: the answer is the only place that shows the
 * key, and the agent's registration brings its settings, too.
 */
async function introduce(deps: Deps, row: AgentRow): Promise<void> {
  try {
    await configureAgent(deps, row, agentSettings(row, FIRST_EPOCH), "The agent's pool does not answer.");
    await markAgentPushed(deps.db, row.id, FIRST_EPOCH);
  } catch (error) {
    logWarning("a new agent's pool was not notified; it is notified in a minute", {
      agentId: row.id,
      error: failureMessage(error),
    });
  }
}
