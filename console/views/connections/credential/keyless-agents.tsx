import { Alert, Anchor, List, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ExpectedAgent } from "./use-expected-agents.ts";

/** Agents of the connection without a public key to encrypt to. */
export function KeylessAgents({ agents }: { agents: readonly ExpectedAgent[] }) {
  if (agents.length === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      title={agents.length === 1 ? "An agent has no key yet" : "Some agents have no key yet"}
    >
      <Text size="sm">
        An agent creates its key pair when it first starts, and registers the public key here. Start these agents, then
        deliver to them:
      </Text>
      <List size="sm" mt={4}>
        {agents.map(({ id, name }) => (
          <List.Item key={id}>
            <Anchor component={Link} href={`/agents/${id}`} inherit>
              {name}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
