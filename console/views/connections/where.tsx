import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import type { Agents } from "./use-agents.ts";
import { connections } from "../../strings/en/connections.ts";

const text = connections.where;

/** The agent or pool that runs a connection's jobs, by name. */
export function Where({ connection, agents }: { connection: ConnectionView; agents: Agents }) {
  const { type, agentId, poolId } = connection;
  if (poolId !== null) {
    return (
      <Text size="sm" component="span">
        {text.pool(
          <Anchor component={Link} href={`/pools/${encodeURIComponent(poolId)}`} inherit>
            {poolId}
          </Anchor>,
        )}
      </Text>
    );
  }
  if (agentId === null) {
    return (
      <Text size="sm" component="span" c="dimmed">
        {type === "notification" ? text.service : text.notAssigned}
      </Text>
    );
  }
  const agent = agents.byId.get(agentId);
  if (agent === undefined && agents.isComplete) {
    return (
      <Text size="sm" component="span" c="red">
        {text.deleted}
      </Text>
    );
  }
  return (
    <Anchor component={Link} href={`/agents/${agentId}`} size="sm">
      {agent?.name ?? text.unnamed}
    </Anchor>
  );
}
