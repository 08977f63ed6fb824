import { ActionIcon, Anchor, Card, Code, Group, Stack, Table, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { Link } from "wouter";
import type { AuditEntryView } from "../../../../schema/contract/people.ts";
import { common } from "../../../strings/en/common.ts";
import { audit as text } from "../../../strings/en/audit.ts";
import { actorLabel } from "../../../ui/actor-label.ts";
import { Copy } from "../../../ui/copy.tsx";
import { exactTime } from "../../../strings/time.ts";
import classes from "../settings.module.css";
import type { AuditFilters } from "./filters.ts";
import { subjectAddress } from "./subject-address.ts";
import { actionLabel, nameOf, subjectLabel, summaryOf } from "./summary.ts";

interface AuditRowProps {
  entry: AuditEntryView;
  narrow: (filters: Partial<AuditFilters>) => void;
}

/** One entry as a row that opens to show all details. Its values are links that narrow the search. */
export function AuditRow({ entry, narrow }: AuditRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const detailId = useId();
  const { actor, verb, at } = entry;
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={text.showDetails(actionLabel(verb), actorLabel(actor))}
            aria-expanded={isOpen}
            aria-controls={detailId}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
          </ActionIcon>
        </Table.Td>
        <Table.Td className={classes["plain"] ?? ""}>
          <time dateTime={at}>{exactTime(at)}</time>
        </Table.Td>
        <Table.Td maw={260} className={classes["long"] ?? ""}>
          <Narrow label={actorLabel(actor)} onClick={() => narrow({ actor })} />
        </Table.Td>
        <Table.Td maw={320}>
          <Narrow label={actionLabel(verb)} onClick={() => narrow({ verb })} />
          <Subject entry={entry} narrow={narrow} />
        </Table.Td>
        <Table.Td maw={480} className={classes["long"] ?? ""}>
          <Text size="sm" c="dimmed" lineClamp={2}>
            {summaryOf(entry)}
          </Text>
        </Table.Td>
      </Table.Tr>
      <Table.Tr id={detailId} hidden={!isOpen}>
        <Table.Td />
        <Table.Td colSpan={4}>
          <EntryDetail entry={entry} narrow={narrow} />
        </Table.Td>
      </Table.Tr>
    </>
  );
}

/** One entry on a narrow screen. */
export function AuditCard({ entry, narrow }: AuditRowProps) {
  const { actor, verb, at } = entry;
  return (
    <Card withBorder padding="sm" component="li">
      <Stack gap={6}>
        <Group justify="space-between" gap="xs">
          <Narrow label={actorLabel(actor)} onClick={() => narrow({ actor })} />
          <Text size="xs" c="dimmed" component="time" dateTime={at}>
            {exactTime(at)}
          </Text>
        </Group>
        <Narrow label={actionLabel(verb)} onClick={() => narrow({ verb })} />
        <Subject entry={entry} narrow={narrow} />
        <Text size="sm" c="dimmed" lineClamp={2}>
          {summaryOf(entry)}
        </Text>
        <details>
          <summary>
            <Text size="sm" c="dimmed" component="span">
              {common.details}
            </Text>
          </summary>
          <EntryDetail entry={entry} narrow={narrow} />
        </details>
      </Stack>
    </Card>
  );
}

function EntryDetail({ entry, narrow }: AuditRowProps) {
  const { subjectType, subjectId } = entry;
  const address = subjectAddress(entry);
  const subject = subjectLabel(subjectType);
  return (
    <Stack gap={6}>
      <Group gap={4}>
        <Text size="sm">{subject}</Text>
        <Code>{subjectId}</Code>
        <Copy value={subjectId} label={text.copySubjectId(subject)} />
        <Anchor component="button" size="sm" onClick={() => narrow({ subjectType, subjectId })}>
          {text.allAbout(subject)}
        </Anchor>
        {address === null ? null : (
          <Anchor component={Link} href={address} size="sm" ml="xs">
            {text.openSubject(subject)}
          </Anchor>
        )}
      </Group>
      <Code block tabIndex={0} aria-label={common.details} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {JSON.stringify(entry.detail, null, 2)}
      </Code>
    </Stack>
  );
}

/** The kind of the subject and its name, as a link to its page; its id when it has a page and no name. */
function Subject({ entry, narrow }: AuditRowProps) {
  const { subjectType, subjectId } = entry;
  const address = subjectAddress(entry);
  const name = nameOf(entry) ?? (address === null ? null : subjectId);
  return (
    <Text size="sm" style={{ overflowWrap: "break-word" }}>
      <Narrow label={subjectLabel(subjectType)} onClick={() => narrow({ subjectType, subjectId: "" })} />{" "}
      {name === null ? null : address === null ? (
        <b>{name}</b>
      ) : (
        <Anchor component={Link} href={address} size="sm" fw={600}>
          {name}
        </Anchor>
      )}
    </Text>
  );
}

/** A value of the entry that searches for itself on a click. */
function Narrow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      c="inherit"
      ta="start"
      onClick={onClick}
      title={text.onlyThis(label)}
    >
      {label}
    </Anchor>
  );
}
