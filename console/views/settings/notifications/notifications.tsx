import { Badge, Code, Group, List, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconMail, IconMessage, IconWebhook } from "@tabler/icons-react";
import type { NotificationChannel } from "../../../../schema/contract/notification.ts";
import type { NotificationChannelView } from "../../../../schema/contract/notification-channel.ts";
import { useList } from "../../../api/queries.ts";
import { useCan } from "../../../app/session.tsx";
import { channelForm } from "../../../strings/en/notification-channels.ts";
import { settings } from "../../../strings/en/settings.ts";
import { ReadState } from "../../../ui/states.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { ChannelButtons } from "./channel-buttons.tsx";
import { Receivers } from "./receivers.tsx";
import { Rules } from "./rules.tsx";

const text = settings.notifications;
const ICONS = {
  email: IconMail,
  sms: IconMessage,
  webhook: IconWebhook,
} as const satisfies Record<NotificationChannel, unknown>;

/** Which events are reported, to whom, and through which channels. */
export default function Notifications() {
  const channels = useList("/api/v1/automation/notification-channels", {});
  return (
    <Stack gap="xl">
      <Rules />
      <Receivers />
      <Stack gap="md" component="section" aria-label={text.title}>
        <Stack gap={4}>
          <Title order={2} size="h4">
            {text.title}
          </Title>
          <Text size="sm" maw={640}>
            {text.intro(<Code>notification.sendNotification</Code>)}
          </Text>
        </Stack>
        <ReadState read={{ ...channels, data: channels.items }}>
          {(items) => (
            <SimpleGrid cols={{ base: 1, md: 3 }}>
              {items.map((channel) => (
                <Channel key={channel.channel} channel={channel} />
              ))}
            </SimpleGrid>
          )}
        </ReadState>
      </Stack>
    </Stack>
  );
}

function Channel({ channel: view }: { channel: NotificationChannelView }) {
  const { channel, configured, from, transport, problems, source } = view;
  const mayWrite = useCan("admin");
  const Icon = ICONS[channel];
  const name = text.channels[channel];
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Icon size={20} stroke={1.6} aria-hidden />
            <Title order={3} size="h5">
              {name}
            </Title>
          </Group>
          <Badge color={configured ? "teal" : "gray"} variant="light" radius="sm" tt="none">
            {configured ? text.isSetUp : text.isNotSetUp}
          </Badge>
        </Group>
        <Facts
          facts={[
            [text.inWorkflow, <Code key="channel">channel: {channel}</Code>],
            ...(from === null ? [] : [[text.from, from] as const]),
            ...(transport === null || !configured ? [] : [[text.sentThrough, text.transports[transport]] as const]),
            ...(source === null ? [] : [[channelForm.source, channelForm.sources[source]] as const]),
          ]}
        />
        {problems.length === 0 ? null : (
          <>
            <Text size="sm" fw={500}>
              {view.stored === null ? text.toSetUp : text.toRepair}
            </Text>
            <List size="sm" spacing={4}>
              {problems.map((problem) => (
                <List.Item key={problem}>{problem}</List.Item>
              ))}
            </List>
          </>
        )}
        {mayWrite ? <ChannelButtons channel={view} /> : null}
      </Stack>
    </Paper>
  );
}
