import { calculateJwkThumbprint } from "jose";
import { z } from "zod";
import { AGENT_API_PATH, publicKeySchema } from "../../schema/contract/agent.ts";
import { ApiRefused } from "./api.ts";
import type { Api } from "./api.ts";
import { createLocalAgent } from "./example.ts";
import type { LocalSettings } from "./settings.ts";

type Known = NonNullable<LocalSettings["agent"]>;

export interface OwnAgent {
  agent: Known;
  /** A message for the person; null when this is the agent of the last start. */
  note: string | null;
}

/**
 * The agent that `npm start` runs, with a key that the service accepts: a person may have regenerated the key or
 * deleted the agent. An agent that already runs elsewhere with the new key is left alone.
 */
export async function ownAgent(
  api: Api,
  { serviceUrl, vaultPath }: { serviceUrl: string; vaultPath: string },
  known: Known | undefined,
): Promise<OwnAgent> {
  if (known === undefined) return { agent: await newAgent(api), note: null };
  if (await isTaken(serviceUrl, known.apiKey)) return { agent: known, note: null };
  try {
    const { registration } = await api.get(`/agents/${known.id}`, agentSchema);
    if (registration !== null && registration.fingerprint !== (await ownFingerprint(vaultPath))) {
      const note = "its agent runs with another key elsewhere, so a new agent was made here.";
      return { agent: await newAgent(api), note };
    }
    const { apiKey } = await api.post(
      `/agents/${known.id}/regenerate-key`,
      undefined,
      z.object({ apiKey: z.string() }),
    );
    const note =
      "the key of its agent had been regenerated, so the agent has a new one: deliver its credentials again.";
    return { agent: { id: known.id, apiKey }, note };
  } catch (error) {
    if (!(error instanceof ApiRefused) || error.status !== 404) throw error;
    const note = "its agent had been deleted, so a new agent was made. BELLHOP_LOCAL_AGENT=off starts no agent.";
    return { agent: await newAgent(api), note };
  }
}

async function newAgent(api: Api): Promise<Known> {
  const { agent, apiKey } = await createLocalAgent(api);
  return { id: agent.id, apiKey };
}

const agentSchema = z.object({ registration: z.object({ fingerprint: z.string() }).nullable() });
const vaultSchema = z.object({ publicKey: publicKeySchema });

/** The fingerprint of the key pair in the agent's vault; null without one. */
async function ownFingerprint(vaultPath: string): Promise<string | null> {
  const vault = await Bun.file(vaultPath)
    .json()
    .catch(() => null);
  const { data } = vaultSchema.safeParse(vault);
  return data === undefined ? null : await calculateJwkThumbprint(data.publicKey);
}

/**
 * Whether the service accepts a key. Asks with a poll without a session, which records nothing and is logged at
 * DEBUG only: the key is checked first.
 */
export async function isTaken(serviceUrl: string, apiKey: string): Promise<boolean> {
  const { status } = await fetch(`${serviceUrl}${AGENT_API_PATH}/jobs?capacity=0&held=`, {
    headers: { Authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(30_000),
  });
  return status !== 401;
}
