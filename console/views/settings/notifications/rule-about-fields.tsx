import { Checkbox, MultiSelect, NativeSelect, TagsInput } from "@mantine/core";
import { workflowTagSchema } from "../../../../schema/contract/workflow-tags.ts";
import { keysOf } from "../../../../schema/contract/records.ts";
import { PAGE_SIZE_MAX, RULE_MINUTES_MAX } from "../../../../schema/limits.ts";
import { useAll } from "../../../api/use-all.ts";
import { useWorkflowTags } from "../../../api/use-workflow-tags.ts";
import { notificationRules } from "../../../strings/en/notification-rules.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { ruleOf } from "./rule-draft.ts";
import type { RuleDraft } from "./rule-draft.ts";

const text = notificationRules.form;
const WHENS = keysOf(text.whens);
const SCOPES = keysOf(text.scopes);

export interface RuleFieldsProps {
  draft: RuleDraft;
  change: (part: Partial<RuleDraft>) => void;
  error: (field: string) => string | null;
}

/** The fields that the chosen event has. */
export function AboutFields(props: RuleFieldsProps) {
  const { draft, change, error } = props;
  const rule = ruleOf(draft);
  return (
    <>
      {rule.on === "run_failed" ? (
        <>
          <NativeSelect
            label={text.when}
            data={WHENS.map((value) => ({ value, label: text.whens[value] }))}
            value={draft.when}
            onChange={(event) => change({ when: event.currentTarget.value === "every" ? "every" : "first" })}
          />
          <Checkbox
            label={text.recovered}
            checked={draft.recovered}
            onChange={(event) => change({ recovered: event.currentTarget.checked })}
          />
        </>
      ) : null}
      {"scope" in rule ? <ScopeFields {...props} /> : null}
      {"minutes" in rule ? (
        <NumberField
          label={text.minutes}
          description={text.minutesHint}
          required
          min={1}
          max={RULE_MINUTES_MAX}
          value={draft.minutes}
          error={error("minutes")}
          onChange={(value) => change({ minutes: value })}
        />
      ) : null}
      {"minutes" in rule && rule.on !== "database_trouble" ? <PoolsField {...props} /> : null}
    </>
  );
}

function ScopeFields({ draft, change, error }: RuleFieldsProps) {
  const all = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE_MAX } });
  const workflows = all.items ?? [];
  const ids = [...new Set([...workflows.map(({ id }) => id), ...draft.workflowIds])];
  const known = useWorkflowTags();
  const unused = draft.tags.filter((tag) => !known.tags.includes(workflowTagSchema.safeParse(tag).data ?? tag));
  const nameOf = (id: string) => workflows.find((workflow) => workflow.id === id)?.name ?? id;
  return (
    <>
      <NativeSelect
        label={text.scope}
        data={SCOPES.map((value) => ({ value, label: text.scopes[value] }))}
        value={draft.scope}
        onChange={(event) => change({ scope: SCOPES.find((one) => one === event.currentTarget.value) ?? "everything" })}
      />
      {draft.scope === "tags" ? (
        <TagsInput
          label={text.tags}
          required
          description={known.isWhole && unused.length > 0 ? text.unusedTags(unused) : undefined}
          data={known.tags}
          value={draft.tags}
          error={error("scope")}
          onChange={(tags) => change({ tags })}
        />
      ) : null}
      {draft.scope === "workflowIds" ? (
        <MultiSelect
          label={text.workflows}
          required
          data={ids.map((value) => ({ value, label: nameOf(value) }))}
          value={draft.workflowIds}
          error={error("scope")}
          searchable
          onChange={(workflowIds) => change({ workflowIds })}
        />
      ) : null}
    </>
  );
}

function PoolsField({ draft, change, error }: RuleFieldsProps) {
  const pools = useAll("/api/v1/automation/pools", { query: { limit: PAGE_SIZE_MAX } });
  const ids = [...new Set([...(pools.items ?? []).map(({ id }) => id), ...draft.poolIds])];
  return (
    <MultiSelect
      label={text.pools}
      description={text.poolsHint}
      data={ids}
      value={draft.poolIds}
      error={error("poolIds")}
      searchable
      onChange={(poolIds) => change({ poolIds })}
    />
  );
}
