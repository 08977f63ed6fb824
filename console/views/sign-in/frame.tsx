import { Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

/** The frame of the sign-in and set-up pages, which are shown without a session. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Bellhop`);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={440} gap="md">
        <Group gap="xs" justify="center">
          <img src="/favicon.svg" width={30} height={30} alt="" />
          <Text fw={700} size="xl" component="span">
            Bellhop
          </Text>
        </Group>
        <Paper withBorder p={{ base: "md", sm: "xl" }} radius="md">
          <Stack gap="md">
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
