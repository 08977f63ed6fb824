import { createHash } from "node:crypto";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { success } from "./agent-client.ts";
import type { Service } from "./bellhop.ts";
import { credentialsOf } from "./credentials.ts";
import type { Member } from "./credentials.ts";
import { eventually } from "./eventually.ts";
import { call, createConnection } from "./management-api.ts";

/** The digest that agents report. */
export function digestOf(target: CredentialTarget): string {
  return createHash("sha256").update(canonicalTarget(target)).digest("base64url");
}

/** Helpers for tests of credentials' targets. */
export function targetsOf(bellhop: Service) {
  const use = credentialsOf(bellhop);

  async function deliverTo(agent: Member, id: string): Promise<{ version: number; target: string }> {
    const [recipient] = await use.recipientsOf(id);
    if (recipient === undefined) throw new Error("the agent is not a recipient");
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    return { version: recipient.version, target: digestOf(recipient.target) };
  }

  return {
    deliverTo,
    /** A connection whose agent has accepted its credential and reports its target; an older agent reports none. */
    async delivered(type: ConnectionType, config: JsonObject, { reports = true } = {}) {
      const agent = await use.startAgent(null);
      const { id } = await createConnection(bellhop, { type, config, poolId: null, agentId: agent.id });
      const held = { connectionId: id, ...(await deliverTo(agent, id)) };
      const { connectionId, version } = held;
      await agent.client.heartbeat([], [reports ? held : { connectionId, version }]);
      await eventually(
        "the credential to be shown as delivered",
        async () => (await use.view(id)).credentialStatus === "delivered",
      );
      return { agent, id, held };
    },
    patch: async (id: string, config: JsonObject) =>
      (await call(bellhop, "PATCH", `/connections/${id}`, { config })).status,
    async statusOf(id: string): Promise<[status: string | null, error: string | null]> {
      const { credentialStatus, credentials } = await use.view(id);
      return [credentialStatus, credentials[0]?.error ?? null];
    },
  };
}
