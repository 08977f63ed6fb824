import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { ReadState } from "../../ui/states.tsx";
import type { WorkflowUse } from "./users-of.ts";
import { useWorkflowUsers } from "./use-workflow-users.ts";
import { connections } from "../../strings/en/connections.ts";

const text = connections.users;

/** The workflows whose steps name a connection, among those that were searched. */
export function UsedBy({ connectionId }: { connectionId: string }) {
  const users = useWorkflowUsers();
  return (
    <ReadState read={users}>
      {({ byConnection, looked, isComplete }) => {
        const own = byConnection.get(connectionId) ?? [];
        return (
          <Stack gap="xs">
            {own.length === 0 ? (
              <Text size="sm">{isComplete ? text.none : text.noneOfNewest(looked)}</Text>
            ) : (
              <WorkflowLinks workflows={own} />
            )}
            <Text size="xs" c="dimmed">
              {isComplete ? text.ofDrafts : text.ofNewestDrafts(looked)}
            </Text>
          </Stack>
        );
      }}
    </ReadState>
  );
}

/** `aside`: the links open in a new tab, so that a dialog stays open. */
export function WorkflowLinks({ workflows, aside = false }: { workflows: readonly WorkflowUse[]; aside?: boolean }) {
  return (
    <Stack gap={6} component="ul" style={{ listStyle: "none", margin: 0, padding: 0 }}>
      {workflows.map(({ id, name, published, active }) => (
        <Group key={id} gap="xs" component="li">
          <Anchor component={Link} href={`/workflows/${id}`} size="sm" {...(aside ? { target: "_blank" } : {})}>
            {name}
          </Anchor>
          <Badge variant="light" radius="sm" tt="none" color={published && active ? "teal" : "gray"}>
            {published ? (active ? text.active : text.inactive) : text.draft}
          </Badge>
        </Group>
      ))}
    </Stack>
  );
}
