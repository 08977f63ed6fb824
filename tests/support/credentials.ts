import { afterAll } from "bun:test";
import { z } from "zod";
import { newKeyPair, publicPartOf } from "../../agent/vault/crypto.ts";
import type { Job } from "../../schema/contract/agent.ts";
import { agentCredentialSchema, recipientSchema } from "../../schema/contract/credential.ts";
import type { Recipient } from "../../schema/contract/credential.ts";
import { connectionSchema } from "../../schema/contract/management.ts";
import { AgentClient, success } from "./agent-client.ts";
import { startBellhop } from "./bellhop.ts";
import type { Service } from "./bellhop.ts";
import { eventually } from "./eventually.ts";
import { call, createAgent, dataOf } from "./management-api.ts";
import { sealFor } from "./sealed-credential.ts";
import { query } from "./database.ts";

export const CHAT = { type: "chat", config: { defaultChannel: "C024BE91L" } };
const SECRETS = { botToken: "xoxb-something-secret" };
export const statusesSchema = z.array(agentCredentialSchema);
let pools = 0;

/** An agent that follows its contract, with a key pair for sealing. */
export interface Member {
  id: string;
  client: AgentClient;
  publicKey: ReturnType<typeof publicPartOf>;
}

export const newPool = () => `pool-${++pools}`;

export function sealedFor({ agentId, publicKey, version, target }: Recipient, connectionId: string) {
  return { agentId, jwe: sealFor(publicKey, { agentId, connectionId, version, target, secrets: SECRETS }) };
}

export const failed = (job: Job, code: string) => ({
  ...success(job, null),
  status: "failed" as const,
  error: { code, message: `it said ${code}` },
});

/** One service for all tests of a file, with the helpers for credentials. */
export async function startForCredentials() {
  const bellhop = await startBellhop();
  afterAll(() => bellhop.stop());
  return { bellhop, use: credentialsOf(bellhop) };
}

/** Helpers for tests of credentials. */
export function credentialsOf(bellhop: Service) {
  const recipientsOf = async (id: string): Promise<Recipient[]> =>
    dataOf(await call(bellhop, "GET", `/connections/${id}/recipients`), 200, z.array(recipientSchema));
  return {
    recipientsOf,
    async startAgent(poolId: string | null): Promise<Member> {
      const { agent, apiKey } = await createAgent(bellhop, { poolId });
      const client = new AgentClient(bellhop, apiKey);
      const publicKey = publicPartOf(newKeyPair());
      await client.register({ publicKey });
      await client.heartbeat();
      return { id: agent.id, client, publicKey };
    },
    view: async (id: string) => dataOf(await call(bellhop, "GET", `/connections/${id}`), 200, connectionSchema),
    rowsOf: (id: string) => query(bellhop, "select * from credentials where connection_id = ?", [id]),
    async deliver(id: string): Promise<{ agentId: string; jwe: string }[]> {
      const sealed = (await recipientsOf(id)).map((recipient) => sealedFor(recipient, id));
      await dataOf(await call(bellhop, "POST", `/connections/${id}/credentials`, { sealed }), 202, statusesSchema);
      return sealed;
    },
    syncOf: ({ client }: Member): Promise<Job> =>
      eventually("a credentialSync job for the agent", async () => {
        const { jobs } = await client.poll();
        return jobs.find(({ kind }) => kind === "credentialSync");
      }),
  };
}
