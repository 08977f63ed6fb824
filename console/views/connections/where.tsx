import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import type { Agents } from "./use-agents.ts";

/** The agent or pool that runs a connection's jobs, by name. */
export function Where({ connection, agents }: { connection: ConnectionView; agents: Agents }) {
  const { type, agentId, poolId } = connection;
  if (poolId !== null) {
    return (
      <Text size="sm" component="span">
        Pool{" "}
        <Anchor component={Link} href={`/pools/${encodeURIComponent(poolId)}`} inherit>
          {poolId}
        </Anchor>
      </Text>
    );
  }
  if (agentId === null) {
    return (
      <Text size="sm" component="span" c="dimmed">
        {type === "notification" ? "The service itself" : "Not assigned"}
      </Text>
    );
  }
  const agent = agents.byId.get(agentId);
  if (agent === undefined && agents.isComplete) {
    return (
      <Text size="sm" component="span" c="red">
        A deleted agent
      </Text>
    );
  }
  return (
    <Anchor component={Link} href={`/agents/${agentId}`} size="sm">
      {agent?.name ?? "An agent"}
    </Anchor>
  );
}
