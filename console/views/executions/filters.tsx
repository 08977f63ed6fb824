import { Button, Group, Select, TextInput } from "@mantine/core";
import { useList } from "../../api/queries.ts";
import { STATUSES, fromLocalField, isFiltered, toLocalField } from "./list-filter.ts";
import type { ListFilter } from "./live-list.ts";
import { useWorkflowName } from "./workflow-name.tsx";

interface FiltersProps {
  filter: ListFilter;
  onChange: (change: Partial<ListFilter>) => void;
}

/** The filters of the list of executions. */
export function Filters({ filter, onChange }: FiltersProps) {
  const wrongSpan = filter.from !== null && filter.to !== null && filter.from > filter.to;
  return (
    <Group gap="sm" align="flex-end" component="search" aria-label="Filters">
      <WorkflowFilter value={filter.workflowId} onChange={(workflowId) => onChange({ workflowId })} />
      <Select
        label="Status"
        placeholder="Any"
        clearable
        flex="1 1 150px"
        maw={180}
        data={STATUSES.map((status) => ({ value: status, label: status }))}
        value={filter.status}
        onChange={(value) => onChange({ status: STATUSES.find((status) => status === value) ?? null })}
      />
      <TextInput
        type="datetime-local"
        label="Started from"
        flex="1 1 150px"
        maw={240}
        value={toLocalField(filter.from)}
        onChange={(event) => onChange({ from: fromLocalField(event.currentTarget.value, "begins") })}
      />
      <TextInput
        type="datetime-local"
        label="Started until"
        flex="1 1 150px"
        maw={240}
        error={wrongSpan ? "This is before the start." : null}
        value={toLocalField(filter.to)}
        onChange={(event) => onChange({ to: fromLocalField(event.currentTarget.value, "ends") })}
      />
      {isFiltered(filter) ? (
        <Button variant="default" onClick={() => onChange({ workflowId: null, status: null, from: null, to: null })}>
          Show all
        </Button>
      ) : null}
    </Group>
  );
}

function WorkflowFilter({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const { items = [] } = useList("/api/v1/automation/workflows", { query: { limit: 200 } });
  const options = items.map(({ id, name }) => ({ value: id, label: name }));
  // The field also shows a workflow that was deleted or is not among the newest.
  const missing = value !== null && options.every((option) => option.value !== value);
  const name = useWorkflowName(value);
  return (
    <Select
      label="Workflow"
      placeholder="Any"
      clearable
      searchable
      nothingFoundMessage="No matching workflow."
      flex="1 1 220px"
      maw={300}
      data={missing ? [{ value, label: name ?? (name === null ? "a deleted workflow" : "…") }, ...options] : options}
      value={value}
      onChange={onChange}
    />
  );
}
