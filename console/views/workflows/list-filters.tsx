import { Group, NativeSelect, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useSearchParams } from "wouter";
import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { common } from "../../strings/en/common.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import type { WorkflowFilter } from "./filter.ts";
import type { WorkflowState } from "./state.ts";

const labels = text.list.filter;

/** The list's filter is in the page's URL, so that the browser's back button restores it. */
export function useWorkflowFilter(): [WorkflowFilter, (change: Partial<WorkflowFilter>) => void] {
  const [params, setParams] = useSearchParams();
  const filter: WorkflowFilter = {
    text: params.get("q") ?? "",
    trigger: oneOf(common.triggers, params.get("trigger")),
    state: oneOf(text.states, params.get("state")),
    tag: params.get("tag"),
  };
  const change = (part: Partial<WorkflowFilter>) => {
    const { text, trigger, state, tag } = { ...filter, ...part };
    const next = new URLSearchParams();
    if (text !== "") next.set("q", text);
    if (trigger !== null) next.set("trigger", trigger);
    if (state !== null) next.set("state", state);
    if (tag !== null) next.set("tag", tag);
    setParams(next, { replace: true });
  };
  return [filter, change];
}

export function ListFilters({
  filter,
  change,
  tags,
}: {
  filter: WorkflowFilter;
  change: (part: Partial<WorkflowFilter>) => void;
  /** All tags of the loaded workflows. */
  tags: readonly string[];
}) {
  return (
    <Group gap="xs" align="end">
      <TextInput
        label={common.search}
        placeholder={labels.placeholder}
        type="search"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        flex={{ base: "1 1 100%", xs: "0 1 20rem" }}
      />
      <NativeSelect
        label={common.trigger}
        data={[{ value: "", label: labels.anyTrigger }, ...choicesOf<TriggerType>(common.triggers)]}
        value={filter.trigger ?? ""}
        onChange={(event) => change({ trigger: oneOf(common.triggers, event.currentTarget.value) })}
      />
      <NativeSelect
        label={text.state}
        data={[{ value: "", label: labels.anyState }, ...choicesOf<WorkflowState>(text.states)]}
        value={filter.state ?? ""}
        onChange={(event) => change({ state: oneOf(text.states, event.currentTarget.value) })}
      />
      {tags.length === 0 && filter.tag === null ? null : (
        <NativeSelect
          label={text.tag}
          data={[
            { value: "", label: labels.anyTag },
            ...new Set([...tags, ...(filter.tag === null ? [] : [filter.tag])]),
          ]}
          value={filter.tag ?? ""}
          onChange={({ currentTarget: { value } }) => change({ tag: value === "" ? null : value })}
        />
      )}
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
