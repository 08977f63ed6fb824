import { Badge, Code, Group, List, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconMail, IconMessage, IconWebhook } from "@tabler/icons-react";
import type { NotificationChannel, NotificationChannelView } from "../../../../schema/contract/notification.ts";
import { useList } from "../../../api/queries.ts";
import { ReadState } from "../../../ui/states.tsx";
import { Facts } from "../../../ui/facts.tsx";

const CHANNELS = {
  email: { name: "Email", icon: IconMail },
  sms: { name: "Text message", icon: IconMessage },
  webhook: { name: "Webhook", icon: IconWebhook },
} as const satisfies Record<NotificationChannel, object>;
const TRANSPORTS = { smtp: "a mail server (SMTP)", http: "an HTTP interface" } as const;

/** The service's notification channels: which are set up, and what the others need. */
export default function Notifications() {
  const channels = useList("/api/v1/automation/notification-channels", {});
  return (
    <Stack gap="md">
      <Text size="sm" maw={720}>
        Workflows send messages over these channels with the action notification.sendNotification. The settings of the
        deployed service configure them. They cannot be changed here.
      </Text>
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
  );
}

function Channel({
  channel: { channel, configured, from, transport, problems },
}: {
  channel: NotificationChannelView;
}) {
  const { name, icon: Icon } = CHANNELS[channel];
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Icon size={20} stroke={1.6} aria-hidden />
            <Title order={2} size="h4">
              {name}
            </Title>
          </Group>
          <Badge color={configured ? "teal" : "gray"} variant="light" radius="sm" tt="none">
            {configured ? "Set up" : "Not set up"}
          </Badge>
        </Group>
        <Facts
          facts={[
            ["In a workflow", <Code key="channel">channel: {channel}</Code>],
            ...(from === null ? [] : [["From", from] as const]),
            ...(transport === null || !configured ? [] : [["Sent by", TRANSPORTS[transport]] as const]),
          ]}
        />
        {problems.length === 0 ? null : (
          <>
            <Text size="sm" fw={500}>
              To use it:
            </Text>
            <List size="sm" spacing={4}>
              {problems.map((problem) => (
                <List.Item key={problem}>{problem}</List.Item>
              ))}
            </List>
          </>
        )}
      </Stack>
    </Paper>
  );
}
