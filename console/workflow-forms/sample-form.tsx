import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import type { Sample } from "../../schema/contract/dry-run.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { incidentEventTypeSchema } from "../../schema/contract/workflow.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { dryRun } from "../strings/en/dry-run.ts";
import { exactTime } from "../strings/time.ts";
import { WRITTEN } from "./param-value.ts";
import { problemText } from "./problems.ts";
import { WrittenField } from "./written-field.tsx";

const text = dryRun.sample;

interface SampleFormProps {
  trigger: Trigger;
  sample: Sample;
  /** With paths that begin with `sample`. */
  problems: readonly FieldError[];
  isChosen: boolean;
  /** Typed text that is not an object yet; null without any. */
  unread: string | null;
  onUnread: (text: string | null) => void;
  onChange: (sample: Sample | null) => void;
}

/** The form of the sample data of the trigger. */
export function SampleForm({ trigger, sample, problems, isChosen, unread, onUnread, onChange }: SampleFormProps) {
  const objectField = (label: string, description: string, path: "variables" | "incident" | "failed") => (
    <WrittenField
      label={label}
      description={description}
      value={unread ?? sample[path] ?? {}}
      written={WRITTEN.json}
      multiline
      language="json"
      offered={NOTHING}
      error={unread === null ? problemText(problems, `sample.${path}`) : text.noObject}
      readOnly={false}
      onChange={(value) => {
        const object = objectOf(value);
        onUnread(object === null ? WRITTEN.json.write(value) : null);
        if (object !== null) onChange({ ...sample, [path]: object });
      }}
    />
  );
  return (
    <Stack gap="sm">
      {trigger.type === "webhook" || trigger.type === "manual"
        ? objectField(trigger.type === "webhook" ? text.variables : text.inputs, text.variablesHint, "variables")
        : null}
      {trigger.type === "incident" ? (
        <>
          <Select
            label={text.event}
            data={incidentEventTypeSchema.options}
            value={sample.eventType ?? null}
            allowDeselect={false}
            error={problemText(problems, "sample.eventType")}
            onChange={(next) => {
              const eventType = incidentEventTypeSchema.safeParse(next);
              if (eventType.success) onChange({ ...sample, eventType: eventType.data });
            }}
          />
          {objectField(text.incident, text.incidentHint, "incident")}
        </>
      ) : null}
      {trigger.type === "failure" ? objectField(text.failed, text.failedHint, "failed") : null}
      {trigger.type === "cron" ? (
        <TextInput
          label={text.due}
          description={describeTime(sample.scheduledAt)}
          value={sample.scheduledAt ?? ""}
          error={problemText(problems, "sample.scheduledAt")}
          onChange={(event) => onChange({ ...sample, scheduledAt: event.currentTarget.value })}
        />
      ) : null}
      {isChosen ? (
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {text.edited}
          </Text>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => {
              onUnread(null);
              onChange(null);
            }}
          >
            {text.suggest}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

const NOTHING = () => [];

function objectOf(value: JsonValue | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

function describeTime(at: string | undefined): string {
  if (at === undefined || Number.isNaN(Date.parse(at))) return text.dueFormat;
  return text.yourTime(exactTime(at));
}
