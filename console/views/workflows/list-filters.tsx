import { Group, NativeSelect, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useSearchParams } from "wouter";
import type { TriggerType } from "../../../schema/contract/workflow.ts";
import type { WorkflowFilter } from "./filter.ts";
import { STATE_LABELS } from "./state.ts";
import type { WorkflowState } from "./state.ts";
import { TRIGGER_LABELS } from "./labels.ts";

/** The list's filter is in the page's URL, so that the browser's back button restores it. */
export function useWorkflowFilter(): [WorkflowFilter, (change: Partial<WorkflowFilter>) => void] {
  const [params, setParams] = useSearchParams();
  const filter: WorkflowFilter = {
    text: params.get("q") ?? "",
    trigger: oneOf(TRIGGER_LABELS, params.get("trigger")),
    state: oneOf(STATE_LABELS, params.get("state")),
  };
  const change = (part: Partial<WorkflowFilter>) => {
    const { text, trigger, state } = { ...filter, ...part };
    const next = new URLSearchParams();
    if (text !== "") next.set("q", text);
    if (trigger !== null) next.set("trigger", trigger);
    if (state !== null) next.set("state", state);
    setParams(next, { replace: true });
  };
  return [filter, change];
}

export function ListFilters({
  filter,
  change,
}: {
  filter: WorkflowFilter;
  change: (part: Partial<WorkflowFilter>) => void;
}) {
  return (
    <Group gap="xs" align="end">
      <TextInput
        label="Search"
        placeholder="Name, description, trigger"
        type="search"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        flex={{ base: "1 1 100%", xs: "0 1 20rem" }}
      />
      <NativeSelect
        label="Trigger"
        data={[{ value: "", label: "Any trigger" }, ...choicesOf<TriggerType>(TRIGGER_LABELS)]}
        value={filter.trigger ?? ""}
        onChange={(event) => change({ trigger: oneOf(TRIGGER_LABELS, event.currentTarget.value) })}
      />
      <NativeSelect
        label="State"
        data={[{ value: "", label: "Any state" }, ...choicesOf<WorkflowState>(STATE_LABELS)]}
        value={filter.state ?? ""}
        onChange={(event) => change({ state: oneOf(STATE_LABELS, event.currentTarget.value) })}
      />
    </Group>
  );
}

function choicesOf<K extends string>(labels: Record<K, string>): { value: string; label: string }[] {
  return Object.entries<string>(labels).map(([value, label]) => ({ value, label }));
}

/** The value when it is a known key, otherwise null: a URL can contain anything. */
function oneOf<K extends string>(labels: Record<K, string>, value: string | null): K | null {
  const isKey = (key: string): key is K => Object.hasOwn(labels, key);
  return value !== null && isKey(value) ? value : null;
}
