import "../api/zod-config.ts";
import { Button, Checkbox, Group, Select, Stack, TagsInput, Text } from "@mantine/core";
import { useMemo, useRef, useState } from "react";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { FailureTrigger } from "../../schema/contract/failure-trigger.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { incidentEventTypeSchema } from "../../schema/contract/workflow.ts";
import type { Trigger, TriggerType } from "../../schema/contract/workflow.ts";
import { COALESCE_WINDOW_MAX_SECONDS, WORKFLOW_TAGS_MAX, WORKFLOW_TAG_MAX_CHARS } from "../../schema/limits.ts";
import { INCIDENT_FIELDS } from "../../worker/domain/incident/fields.ts";
import { useWorkflowTags } from "../api/use-workflow-tags.ts";
import { common } from "../strings/en/common.ts";
import { completions } from "../strings/en/completions.ts";
import { conditions as conditionText } from "../strings/en/conditions.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import type { Completion } from "./completion.ts";
import { ConditionBuilder } from "./condition-builder.tsx";
import { EMPTY_CONDITION } from "./condition-tree.ts";
import { CronForm } from "./cron-form.tsx";
import { DurationField } from "./duration-field.tsx";
import { triggerLabel } from "./field-label.ts";
import { ManualInputs } from "./manual-inputs.tsx";
import { OtherProblems } from "./other-problems.tsx";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";
import { shownTriggerPaths } from "./shown-paths.ts";
import { OfferedPaths } from "./offered.tsx";
import { TemplateField } from "./template-field.tsx";
import { tagsKnown, triggerCompletions } from "./trigger-completions.ts";
import { useKnownVariables } from "./use-sample.ts";
import { WebhookForm } from "./webhook-form.tsx";

const text = workflowForms.trigger;

export interface TriggerFormProps {
  trigger: Trigger;
  draft: WorkflowInput;
  /** With paths relative to the trigger: `expression`. */
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (trigger: Trigger) => void;
}

/** The form of a workflow's trigger. */
export function TriggerForm({ trigger, draft, problems, readOnly, onChange }: TriggerFormProps) {
  // Keeps the fields of each type, for a person who switches back.
  const written = useRef(new Map<TriggerType, Trigger>());
  return (
    <Stack gap="md">
      <OtherProblems problems={problems} shown={shownTriggerPaths(trigger)} labelOf={triggerLabel} />
      <Select
        data-part="type"
        label={common.trigger}
        data={TYPES}
        value={trigger.type}
        allowDeselect={false}
        readOnly={readOnly}
        error={problemText(problems, "type")}
        onChange={(next) => {
          const type = TYPES.find(({ value }) => value === next)?.value;
          if (type === undefined || type === trigger.type) return;
          written.current.set(trigger.type, trigger);
          onChange(written.current.get(type) ?? FIRST[type]);
        }}
      />
      {trigger.type === "webhook" ? (
        <WebhookForm trigger={trigger} problems={problems} readOnly={readOnly} onChange={onChange} />
      ) : null}
      {trigger.type === "manual" ? (
        <ManualInputs trigger={trigger} problems={problems} readOnly={readOnly} onChange={onChange} />
      ) : null}
      {trigger.type === "cron" ? (
        <CronForm trigger={trigger} problems={problems} readOnly={readOnly} onChange={onChange} />
      ) : null}
      {trigger.type === "incident" ? (
        <IncidentForm trigger={trigger} draft={draft} problems={problems} readOnly={readOnly} onChange={onChange} />
      ) : null}
      {trigger.type === "failure" ? (
        <FailureForm trigger={trigger} problems={problems} readOnly={readOnly} onChange={onChange} />
      ) : null}
    </Stack>
  );
}

interface FailureFormProps extends Omit<TriggerFormProps, "trigger" | "draft"> {
  trigger: FailureTrigger;
}

function FailureForm({ trigger, problems, readOnly, onChange }: FailureFormProps) {
  const { tags: known } = useWorkflowTags();
  return (
    <Stack gap="sm">
      <Text size="sm">{text.failed}</Text>
      <TagsInput
        data-part="tags"
        label={text.failedTags}
        description={text.failedTagsHint}
        data={known}
        value={trigger.tags ?? []}
        readOnly={readOnly}
        error={problemText(problems, "tags")}
        maxTags={WORKFLOW_TAGS_MAX}
        maxLength={WORKFLOW_TAG_MAX_CHARS}
        onChange={(next) => {
          const tags = next.map((tag) => tag.trim().toLowerCase());
          onChange(put(trigger, { tags: tags.length === 0 ? undefined : tags }));
        }}
      />
    </Stack>
  );
}

interface IncidentFormProps extends Omit<TriggerFormProps, "trigger"> {
  trigger: Extract<Trigger, { type: "incident" }>;
}

function IncidentForm({ trigger, draft, problems, readOnly, onChange }: IncidentFormProps) {
  const known = useKnownVariables();
  const { coalesce } = trigger;
  const [isAsked, setAsked] = useState(false);
  const fields = useMemo(() => {
    let found: readonly Completion[] | null = null;
    return () => (found ??= incidentFields(draft, known));
  }, [draft, known]);
  return (
    <Stack gap="sm">
      <Checkbox.Group
        label={text.events}
        description={text.eventsHint}
        required
        withAsterisk
        value={trigger.events}
        readOnly={readOnly}
        error={problemText(problems, "events")}
        onChange={(next) => onChange({ ...trigger, events: EVENTS.filter((event) => next.includes(event)) })}
      >
        <Group gap="md" mt={6} data-part="events">
          {EVENTS.map((event) => (
            <Checkbox key={event} value={event} label={event.slice("incident.".length)} disabled={readOnly} />
          ))}
        </Group>
      </Checkbox.Group>
      <Text size="sm" fw={500}>
        {conditionText.form.title}
      </Text>
      {trigger.conditions === undefined ? (
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {text.noConditions}
          </Text>
          {readOnly ? null : (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                setAsked(true);
                onChange({ ...trigger, conditions: { logic: "all", conditions: [EMPTY_CONDITION] } });
              }}
            >
              {conditionText.form.add}
            </Button>
          )}
        </Group>
      ) : (
        <ConditionBuilder
          group={trigger.conditions}
          path="conditions"
          startsFocused={isAsked}
          problems={problems}
          ofIncident
          fields={fields}
          readOnly={readOnly}
          onChange={(conditions) =>
            onChange(put(trigger, { conditions: conditions.conditions.length === 0 ? undefined : conditions }))
          }
        />
      )}
      <DurationField
        part="coalesce.windowSeconds"
        label={text.coalesce}
        description={text.coalesceHint}
        max={COALESCE_WINDOW_MAX_SECONDS}
        seconds={coalesce?.windowSeconds}
        emptyLabel={text.noJoining}
        error={problemText(problems, "coalesce.windowSeconds")}
        readOnly={readOnly}
        onChange={(windowSeconds) =>
          onChange(put(trigger, { coalesce: windowSeconds === undefined ? undefined : { ...coalesce, windowSeconds } }))
        }
      />
      {coalesce === undefined ? null : (
        <div data-part="coalesce.key">
          <OfferedPaths paths={() => triggerCompletions(draft, known)}>
            <TemplateField
              label={text.coalesceKey}
              description={text.coalesceKeyHint}
              value={coalesce.key ?? ""}
              error={problemText(problems, "coalesce.key")}
              readOnly={readOnly}
              onChange={(key) =>
                onChange(put(trigger, { coalesce: put(coalesce, { key: key === "" ? undefined : key }) }))
              }
            />
          </OfferedPaths>
        </div>
      )}
    </Stack>
  );
}

const EVENTS = incidentEventTypeSchema.options;

const TYPES = (["incident", "webhook", "cron", "manual", "failure"] as const satisfies readonly TriggerType[]).map(
  (value) => ({
    value,
    label: common.triggers[value],
  }),
);

const FIRST: Readonly<Record<TriggerType, Trigger>> = {
  incident: { type: "incident", events: ["incident.created"] },
  webhook: { type: "webhook" },
  cron: { type: "cron", expression: "0 9 * * 1-5" },
  manual: { type: "manual" },
  failure: { type: "failure" },
};

/** The fields that conditions of an incident trigger may name: those of incidents, and known tags. */
function incidentFields(draft: Pick<WorkflowInput, "trigger" | "definition">, incident: JsonObject): Completion[] {
  return [
    ...INCIDENT_FIELDS.map((path): Completion => ({ path, type: "text", detail: completions.incident[path] })),
    ...[...tagsKnown(draft, incident)].map((name): Completion => ({
      path: `tags.${name}`,
      type: "text",
      detail: completions.tag(name),
    })),
  ];
}
