import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { EmptyState, ReadState } from "./states.tsx";

interface ListSectionProps<Item> {
  text: { title?: string; intro: string; create: string; none: { title: string; what: string } };
  list: Omit<Parameters<typeof ReadState>[0]["read"], "data"> & { items: readonly Item[] | undefined };
  /** Null for a person who may not create one. */
  onCreate: (() => void) | null;
  children: (items: readonly Item[]) => ReactNode;
}

/** A short list of a settings page: what it is, the button for a new item, and the items. */
export function ListSection<Item>({ text, list, onCreate, children }: ListSectionProps<Item>) {
  return (
    <Stack gap="md" component="section" aria-label={text.title}>
      <Group justify="space-between" wrap="wrap">
        <Stack gap={4}>
          {text.title === undefined ? null : (
            <Title order={2} size="h4">
              {text.title}
            </Title>
          )}
          <Text size="sm" maw={640}>
            {text.intro}
          </Text>
        </Stack>
        {onCreate === null ? null : (
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={onCreate}>
            {text.create}
          </Button>
        )}
      </Group>
      <ReadState read={{ ...list, data: list.items }}>
        {(items) =>
          items.length === 0 ? <EmptyState title={text.none.title}>{text.none.what}</EmptyState> : children(items)
        }
      </ReadState>
    </Stack>
  );
}
