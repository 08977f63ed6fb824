import { Stack, Table, VisuallyHidden } from "@mantine/core";
import type { AuditEntryView } from "../../../../schema/contract/people.ts";
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
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }} aria-label="Audit log">
        {entries.map((entry) => (
          <AuditCard key={entry.id} entry={entry} narrow={narrow} />
        ))}
      </Stack>
    );
  }
  return (
    <Table.ScrollContainer minWidth={820} type="native" tabIndex={0} aria-label="Audit log">
      <Table verticalSpacing="xs" className={classes["table"] ?? ""} aria-label="Audit log">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36}>
              <VisuallyHidden>Open</VisuallyHidden>
            </Table.Th>
            <Table.Th w={140}>When</Table.Th>
            <Table.Th w={260}>Actor</Table.Th>
            <Table.Th>Action</Table.Th>
            <Table.Th>Detail</Table.Th>
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
