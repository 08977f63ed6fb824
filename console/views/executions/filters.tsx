import { Button, Collapse, Group, Select, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFilter } from "@tabler/icons-react";
import { useState } from "react";
import { useList } from "../../api/queries.ts";
import { useIsNarrow } from "../../ui/list-table.tsx";
import {
  NO_FILTER,
  SPAN_NAMES,
  STATUSES,
  countFilters,
  fromLocalField,
  toLocalField,
  triggerOf,
} from "./list-filter.ts";
import type { ChosenFilter } from "./list-filter.ts";
import { useWorkflowName } from "./workflow-name.tsx";
import { common } from "../../strings/en/common.ts";
import { executions as text } from "../../strings/en/executions.ts";

interface FiltersProps {
  filter: ChosenFilter;
  onChange: (change: Partial<ChosenFilter>) => void;
}

/** The filters of the list of executions; behind one button on a narrow screen. */
export function Filters(props: FiltersProps) {
  const isNarrow = useIsNarrow();
  const [isOpen, { toggle }] = useDisclosure(false);
  const count = countFilters(props.filter);
  if (!isNarrow) return <Fields {...props} />;
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {text.filters.set(count)}
      </Button>
      <Collapse expanded={isOpen}>
        <Fields {...props} />
      </Collapse>
    </Stack>
  );
}

const CUSTOM = "custom";

function Fields({ filter, onChange }: FiltersProps) {
  const [isCustom, setCustom] = useState(filter.from !== null || filter.to !== null);
  const chooseTime = (value: string | null) => {
    setCustom(value === CUSTOM);
    onChange({ last: SPAN_NAMES.find((span) => span === value) ?? null, from: null, to: null });
  };
  return (
    <Group gap="sm" align="flex-end" component="search" aria-label={text.filters.label}>
      <WorkflowFilter value={filter.workflowId} onChange={(workflowId) => onChange({ workflowId })} />
      <Select
        label={common.status}
        placeholder={text.filters.anyStatus}
        clearable
        flex="1 1 140px"
        maw={180}
        data={STATUSES.map((status) => ({ value: status, label: text.filters.statuses[status] }))}
        value={filter.status}
        onChange={(value) => onChange({ status: STATUSES.find((status) => status === value) ?? null })}
      />
      <Select
        label={common.trigger}
        placeholder={text.filters.anyTrigger}
        clearable
        flex="1 1 140px"
        maw={180}
        data={Object.entries(text.triggers).map(([value, label]) => ({ value, label }))}
        value={filter.trigger}
        onChange={(value) => onChange({ trigger: triggerOf(value) })}
      />
      <Select
        label={text.started}
        placeholder={text.filters.anyTime}
        clearable
        flex="1 1 160px"
        maw={200}
        data={[
          ...SPAN_NAMES.map((span) => ({ value: span, label: text.filters.spans[span] })),
          { value: CUSTOM, label: text.filters.custom },
        ]}
        value={filter.last ?? (isCustom ? CUSTOM : null)}
        onChange={chooseTime}
      />
      {isCustom && filter.last === null ? <TimeRange filter={filter} onChange={onChange} /> : null}
      {countFilters(filter) === 0 ? null : (
        <Button
          variant="default"
          onClick={() => {
            setCustom(false);
            onChange(NO_FILTER);
          }}
        >
          {common.showAll}
        </Button>
      )}
    </Group>
  );
}

function TimeRange({ filter, onChange }: FiltersProps) {
  const isWrong = filter.from !== null && filter.to !== null && filter.from > filter.to;
  return (
    <>
      <TextInput
        type="datetime-local"
        label={text.filters.from}
        flex="1 1 150px"
        maw={240}
        value={toLocalField(filter.from)}
        onChange={(event) => onChange({ from: fromLocalField(event.currentTarget.value, "begins") })}
      />
      <TextInput
        type="datetime-local"
        label={text.filters.to}
        flex="1 1 150px"
        maw={240}
        error={isWrong ? text.filters.beforeStart : null}
        value={toLocalField(filter.to)}
        onChange={(event) => onChange({ to: fromLocalField(event.currentTarget.value, "ends") })}
      />
    </>
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
      label={common.workflow}
      placeholder={text.filters.anyWorkflow}
      clearable
      searchable
      nothingFoundMessage={text.filters.noWorkflow}
      flex="1 1 220px"
      maw={300}
      data={missing ? [{ value, label: name ?? (name === null ? text.deletedWorkflow : "…") }, ...options] : options}
      value={value}
      onChange={onChange}
    />
  );
}
