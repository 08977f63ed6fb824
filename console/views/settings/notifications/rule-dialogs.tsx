import { Alert, Badge, Group, List, Modal, Stack, Text } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { CollectedEvents, NotificationRuleView, RuleTest } from "../../../../schema/contract/notification-rule.ts";
import { useRead } from "../../../api/queries.ts";
import { notificationRules } from "../../../strings/en/notification-rules.ts";
import { viewersZone, zonedTime } from "../../../strings/time.ts";
import { ReadState } from "../../../ui/states.tsx";
import { TimeAgo } from "../../../ui/time.tsx";

const { messages, tested } = notificationRules;
const READ_AGAIN_MS = 10_000;
const COLORS = { sending: "blue", sent: "teal", failed: "red" } as const;

type NameOf = (receiverId: string) => string;

/** The last messages of a rule, with their results. */
export function NoticesDialog(props: { rule: NotificationRuleView; nameOf: NameOf; close: () => void }) {
  const { rule, nameOf, close } = props;
  const path = "/api/v1/automation/notification-rules/{id}/notices";
  const read = useRead(path, { path: { id: rule.id } }, { everyMs: READ_AGAIN_MS });
  return (
    <Modal opened onClose={close} title={notificationRules.noticesOf(rule.name)} size="lg">
      <ReadState read={read}>
        {({ collected, notices }) => (
          <Stack gap="sm">
            {collected === null ? null : <Collected collected={collected} rule={rule} />}
            <Text size="sm">{notices.length === 0 ? messages.none : messages.intro}</Text>
            {notices.map(({ id, at, receiverId, subject, count, result, detail }) => (
              <Line key={id} color={COLORS[result]} result={messages.results[result]} title={subject} detail={detail}>
                {nameOf(receiverId)} · {messages.events(count)} · <TimeAgo at={at} />
              </Line>
            ))}
          </Stack>
        )}
      </ReadState>
    </Modal>
  );
}

/** The time is in the zone of the rule's quiet hours, or else in the viewer's. */
function Collected({ collected, rule }: { collected: CollectedEvents; rule: NotificationRuleView }) {
  const { count, subjects, sendAt, waitsFor } = collected;
  const time = zonedTime(sendAt, rule.quietHours?.timeZone ?? viewersZone());
  return (
    <Alert color="blue" icon={<IconClock aria-hidden />} title={messages.collected(count)}>
      <Text size="sm">{messages.waitsFor[waitsFor](time)}</Text>
      <List size="sm" mt="xs">
        {subjects.map((subject, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- they are only shown
          <List.Item key={place} style={{ overflowWrap: "anywhere" }}>
            {subject}
          </List.Item>
        ))}
      </List>
      {count > subjects.length ? <Text size="sm">{messages.more(count - subjects.length)}</Text> : null}
    </Alert>
  );
}

/** What a test said, by receiver. */
export function TestDialog(props: { name: string; test: RuleTest; nameOf: NameOf; close: () => void }) {
  const { name, test, nameOf, close } = props;
  return (
    <Modal opened onClose={close} title={tested.title(name)}>
      <Stack gap="sm">
        {test.results.map(({ receiverId, ok, detail }) => (
          <Line
            key={receiverId}
            color={ok ? "teal" : "red"}
            result={ok ? tested.sent : tested.notSent}
            title={nameOf(receiverId)}
            detail={detail}
          />
        ))}
      </Stack>
    </Modal>
  );
}

function Line(props: { color: string; result: string; title: string; detail: string | null; children?: ReactNode }) {
  const { color, result, title, detail, children } = props;
  return (
    <Stack gap={2}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge color={color} variant="light" radius="sm" tt="none" style={{ flexShrink: 0 }}>
          {result}
        </Badge>
        <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
          {title}
        </Text>
      </Group>
      {children === undefined ? null : (
        <Text size="xs" c="dimmed">
          {children}
        </Text>
      )}
      {detail === null ? null : (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {detail}
        </Text>
      )}
    </Stack>
  );
}
