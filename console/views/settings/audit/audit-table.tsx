import { Table } from "@mantine/core";
import type { AuditEntryView } from "../../../../schema/contract/people.ts";
import { WideTable } from "../wide-table.tsx";
import { AuditRow } from "./audit-row.tsx";
import type { AuditFilters } from "./filters.ts";

interface AuditTableProps {
  entries: readonly AuditEntryView[];
  narrow: (filters: Partial<AuditFilters>) => void;
}

export function AuditTable({ entries, narrow }: AuditTableProps) {
  return (
    <WideTable
      label="Audit log"
      minWidth={820}
      head={
        <>
          <Table.Th w={36} aria-label="Detail" />
          <Table.Th w={140}>When</Table.Th>
          <Table.Th>Actor</Table.Th>
          <Table.Th>Action</Table.Th>
          <Table.Th>Detail</Table.Th>
        </>
      }
    >
      {entries.map((entry) => (
        <AuditRow key={entry.id} entry={entry} narrow={narrow} />
      ))}
    </WideTable>
  );
}
