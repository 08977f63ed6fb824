import { Anchor, Button, Group, Paper, Title } from "@mantine/core";
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { overview as text } from "../../strings/en/overview.ts";
import classes from "./overview.module.css";

/** A section of the overview with a heading and a link to the full list. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id} miw={0}>
      <Group justify="space-between" gap="xs" mb="sm">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Paper>
  );
}

const SHOWN = 6;

interface ListSectionProps<Item> {
  title: string;
  section: { items: readonly Item[]; more: boolean };
  /** How many there are, where the service knows it, and whether there are more. */
  count?: number;
  isMore?: boolean;
  /** The list that also has those that are not here. */
  all?: { href: string; label: string };
  row: (item: Item) => ReactNode;
}

/** A section with a row for each item, and with their number in its heading. Nothing when there are none. */
export function ListSection<Item>({ title, section, count, isMore, all, row }: ListSectionProps<Item>) {
  const [isWhole, setWhole] = useState(false);
  const { items, more } = section;
  if (items.length === 0) return null;
  const hidden = items.length - SHOWN;
  return (
    <Section
      title={text.heading(title, count ?? items.length, isMore ?? more)}
      aside={
        all === undefined ? null : (
          <Anchor component={Link} href={all.href} size="sm">
            {all.label}
          </Anchor>
        )
      }
    >
      <ul className={classes["rows"]}>{(isWhole ? items : items.slice(0, SHOWN)).map(row)}</ul>
      {hidden <= 0 ? null : (
        <Button size="compact-sm" variant="subtle" mt="sm" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? text.showFewer : text.showHidden(hidden)}
        </Button>
      )}
    </Section>
  );
}
