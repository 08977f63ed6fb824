import { Stack, Table, VisuallyHidden } from "@mantine/core";
import type { AuditEntryView } from "../../../../schema/contract/people.ts";
import { common } from "../../../strings/en/common.ts";
import { audit as text } from "../../../strings/en/audit.ts";
import { useIsNarrow } from "../../../ui/list-table.tsx";
import classes from "../settings.module.css";
import { AuditCard, AuditRow } from "./audit-row.tsx";
import type { AuditFilters } from "./filters.ts";

interface AuditTableProps {
  entries: readonly AuditEntryView[];
  narrow: (filters: Partial<AuditFilters>) => void;
}

export function AuditTable({ entries, narrow }: AuditTableProps) {
  if (useIsNarrow()) {
    return (
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }} aria-label={text.label}>
        {entries.map((entry) => (
          <AuditCard key={entry.id} entry={entry} narrow={narrow} />
        ))}
      </Stack>
    );
  }
  return (
    <Table.ScrollContainer minWidth={820} type="native" tabIndex={0} aria-label={text.label}>
      <Table verticalSpacing="xs" className={classes["table"] ?? ""} aria-label={text.label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36}>
              <VisuallyHidden>{text.columns.open}</VisuallyHidden>
            </Table.Th>
            <Table.Th w={230}>{text.columns.when}</Table.Th>
            <Table.Th w={220}>{text.columns.actor}</Table.Th>
            <Table.Th>{text.columns.action}</Table.Th>
            <Table.Th>{common.details}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} narrow={narrow} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
