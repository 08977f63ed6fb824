import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { credentials as catalogue } from "../../../strings/en/credentials.ts";
import { TimeAgo } from "../../../ui/time.tsx";
import type { AgentCredential } from "../../../../schema/contract/credential.ts";
import type { Agents } from "../use-agents.ts";
import { CredentialBadge } from "./credential-badge.tsx";
import { nextStep } from "./status-labels.ts";
import { TargetText } from "./target-text.tsx";
import type { ExpectedAgent } from "./use-expected-agents.ts";

const text = catalogue.statuses;

interface Props {
  credentials: readonly AgentCredential[];
  expected: readonly ExpectedAgent[];
  agents: Agents;
}

/** A credential's status on each agent, with the agent's error message and the next step. */
export function AgentStatuses({ credentials, expected, agents }: Props) {
  if (credentials.length === 0) return null;
  return (
    <Stack
      gap="sm"
      component="ul"
      aria-label={text.label}
      style={{ listStyle: "none", margin: 0, padding: 0, maxHeight: 420, overflowY: "auto" }}
    >
      {credentials.map((credential) => {
        const { agentId, status, version, error, updatedAt, target } = credential;
        const agent = expected.find(({ id }) => id === agentId) ?? agents.byId.get(agentId);
        const isWaiting = status === "pending" && version > 0 && error === null;
        const away = agent?.enabled === false ? text.disabled : agent?.status === "Offline" ? text.offline : null;
        return (
          <li key={agentId}>
            <Group gap="xs">
              <Anchor component={Link} href={`/agents/${agentId}`} size="sm" fw={600}>
                {agent?.name ?? text.unnamed}
              </Anchor>
              <CredentialBadge credential={credential} />
              <Text size="xs" c="dimmed" component="span">
                {version === 0 ? "" : text.version(version)}
                {updatedAt === null ? "" : version === 0 ? "" : ", "}
                {updatedAt === null ? "" : <TimeAgo at={updatedAt} />}
              </Text>
            </Group>
            {target === undefined || target === null ? null : (
              <Stack gap={2} my={6}>
                <Text size="sm" fw={600}>
                  {text.boundTo}
                </Text>
                <TargetText target={target} label={text.boundToLabel} />
              </Stack>
            )}
            {error === null ? null : (
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                {error}
              </Text>
            )}
            <Text size="sm" c="dimmed">
              {isWaiting && away !== null ? away : nextStep(credential)}
            </Text>
          </li>
        );
      })}
    </Stack>
  );
}
