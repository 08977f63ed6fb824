import { Anchor, Card, Group, List, Modal, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { LimitGroupView, LimitKeyView } from "../../../../schema/contract/limit-group.ts";
import { useRead } from "../../../api/queries.ts";
import { limits } from "../../../strings/en/limits.ts";
import { ReadState } from "../../../ui/states.tsx";
import { TimeAgo } from "../../../ui/time.tsx";

const text = limits.uses;
const READ_AGAIN_MS = 10_000;

/** Who used a limit, by key, and when the next run is possible. */
export function LimitUsesDialog({ limit, close }: { limit: LimitGroupView; close: () => void }) {
  const read = useRead("/api/v1/automation/limits/{id}/uses", { path: { id: limit.id } }, { everyMs: READ_AGAIN_MS });
  return (
    <Modal opened onClose={close} title={limits.usesOf(limit.name)} size="lg">
      <ReadState read={read}>
        {({ keys, more }) => (
          <Stack gap="sm">
            <Text size="sm">{keys.length === 0 ? text.none : text.intro}</Text>
            {keys.map((one) => (
              <KeyUses key={one.key} one={one} maxRuns={limit.maxRuns} />
            ))}
            {more ? (
              <Text size="xs" c="dimmed">
                {text.more}
              </Text>
            ) : null}
          </Stack>
        )}
      </ReadState>
    </Modal>
  );
}

function KeyUses({ one: { key, used, freeAt, runs }, maxRuns }: { one: LimitKeyView; maxRuns: number }) {
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" gap="xs">
        <Title order={3} size="h6" style={{ overflowWrap: "anywhere" }}>
          {text.key(key)}
        </Title>
        <Text size="sm">{text.used(used, maxRuns)}</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {freeAt === null ? text.freeNow : text.freeAt(<TimeAgo key="at" at={freeAt} />)}
      </Text>
      <List size="sm" mt="xs" spacing={4}>
        {runs.map(({ executionId, at, isOverLimit }) => (
          <List.Item key={executionId}>
            <Anchor component={Link} href={`/executions/${executionId}`} size="sm" style={{ overflowWrap: "anywhere" }}>
              {executionId}
            </Anchor>{" "}
            <TimeAgo at={at} />
            {isOverLimit ? `, ${text.approved}` : ""}
          </List.Item>
        ))}
      </List>
    </Card>
  );
}
