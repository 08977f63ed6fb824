import { MultiSelect, NativeSelect, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import type { NotificationRuleView } from "../../../../schema/contract/notification-rule.ts";
import { keysOf } from "../../../../schema/contract/records.ts";
import { PAGE_SIZE_MAX, RULE_GROUP_MAX_MINUTES } from "../../../../schema/limits.ts";
import { call } from "../../../api/client.ts";
import { useAction } from "../../../api/queries.ts";
import { useAll } from "../../../api/use-all.ts";
import { common } from "../../../strings/en/common.ts";
import { notificationRules } from "../../../strings/en/notification-rules.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { toastSuccess } from "../../../ui/toast.tsx";
import { QuietHoursFields } from "./quiet-hours-fields.tsx";
import { MINUTES_AT_FIRST, draftOf, ruleOf } from "./rule-draft.ts";
import type { RuleDraft } from "./rule-draft.ts";
import { AboutFields } from "./rule-about-fields.tsx";

const text = notificationRules.form;
const RULES = "/api/v1/automation/notification-rules";
const RULE = "/api/v1/automation/notification-rules/{id}";
const EVENTS = keysOf(notificationRules.on);

/** The form of a new rule, or of the one that is changed. */
export function RuleForm({ rule, close }: { rule: NotificationRuleView | null; close: () => void }) {
  const [draft, setDraft] = useState<RuleDraft>(() => draftOf(rule));
  const change = (part: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...part }));
  const receivers = useAll("/api/v1/automation/notification-receivers", { query: { limit: PAGE_SIZE_MAX } });
  const save = useAction(
    (_: undefined, options) => {
      const body = ruleOf(draft);
      return rule === null
        ? call("POST", RULES, { body }, options)
        : call("PUT", RULE, { path: { id: rule.id }, body }, { ifMatch: rule.revision });
    },
    {
      refreshes: [RULES, RULE],
      onDone: (saved) => {
        toastSuccess(rule === null ? text.created(saved.name) : text.saved(saved.name));
        close();
      },
    },
  );
  const errors = useFieldErrors(save.error, {
    name: draft.name,
    receivers: draft.receivers,
    minutes: draft.minutes,
    poolIds: draft.poolIds,
    groupMinutes: draft.groupMinutes,
    scope: draft.scope === "tags" ? draft.tags : draft.workflowIds,
    quietHours: draft.quiet,
  });
  const error = errors.of;
  const names = new Map((receivers.items ?? []).map(({ id, name }) => [id, name]));
  const ids = [...new Set([...names.keys(), ...draft.receivers])];
  const setEvent = (value: string) => {
    const on = EVENTS.find((one) => one === value) ?? "run_failed";
    change({ on, minutes: MINUTES_AT_FIRST[on] ?? draft.minutes });
  };
  return (
    <DialogForm
      title={rule === null ? notificationRules.create : notificationRules.edit(rule.name)}
      submitLabel={rule === null ? common.create : common.save}
      close={close}
      submit={() => save.mutate(undefined)}
      isPending={save.isPending}
      error={errors.rest}
    >
      <TextInput
        label={common.name}
        placeholder={text.exampleName}
        required
        maxLength={200}
        data-autofocus
        value={draft.name}
        error={error("name")}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={text.event}
        data={EVENTS.map((value) => ({ value, label: notificationRules.on[value] }))}
        value={draft.on}
        onChange={(event) => setEvent(event.currentTarget.value)}
      />
      <AboutFields draft={draft} change={change} error={error} />
      <MultiSelect
        label={text.receivers}
        required
        data={ids.map((value) => ({ value, label: names.get(value) ?? value }))}
        value={draft.receivers}
        error={error("receivers")}
        searchable
        nothingFoundMessage={text.noReceivers}
        onChange={(value) => change({ receivers: value })}
      />
      <NumberField
        label={text.groupMinutes}
        description={text.groupMinutesHint}
        required
        min={0}
        max={RULE_GROUP_MAX_MINUTES}
        value={draft.groupMinutes}
        error={error("groupMinutes")}
        onChange={(value) => change({ groupMinutes: value })}
      />
      <QuietHoursFields draft={draft} change={change} error={error} />
      <Switch
        label={text.enabled}
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
    </DialogForm>
  );
}
