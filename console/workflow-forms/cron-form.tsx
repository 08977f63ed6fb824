import { Button, Group, Input, NativeSelect, Select, Stack, Table, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { TimeInput } from "./time-input.tsx";
import { FilledNumber } from "./filled-number.tsx";
import { CRON_PRESETS } from "../../schema/contract/cron.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { cronProblems } from "../../worker/domain/cron/index.ts";
import { CronNext } from "./cron-next-runs.tsx";
import { EVEN_MINUTES, changeKind, expressionOf, presetOf } from "./cron-preset.ts";
import type { CronPreset, CronPresetKind } from "./cron-preset.ts";
import { cronFieldsOf, cronSentence } from "./cron-labels.ts";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";

interface CronFormProps {
  trigger: Extract<Trigger, { type: "cron" }>;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (trigger: Trigger) => void;
}

/** The form of a schedule: common schedules, the expression, and the next times. */
export function CronForm({ trigger, problems, readOnly, onChange }: CronFormProps) {
  const { expression, timezone } = trigger;
  // Problems while the person types, by the rules of saving. The service's messages come with the next check.
  const own = cronProblems(trigger);
  const [isTyping, setTyping] = useState(false);
  const preset = presetOf(expression);
  const set = (next: Exclude<CronPreset, { kind: "own" }>) => onChange({ ...trigger, expression: expressionOf(next) });
  const wrong = own.some(({ path }) => path === "expression");
  return (
    <Stack gap="sm">
      <Group gap="xs" role="group" aria-label="Common schedules">
        {CRON_PRESETS.map(({ name, label, expression: common }) => (
          <Button
            key={name}
            size="compact-xs"
            variant={common === expression ? "filled" : "default"}
            aria-pressed={common === expression}
            disabled={readOnly}
            onClick={() => onChange({ ...trigger, expression: common })}
          >
            {label}
          </Button>
        ))}
      </Group>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="How often"
          data={KINDS.filter(({ value }) => value !== "own" || preset.kind === "own")}
          value={preset.kind}
          disabled={readOnly}
          onChange={(event) => {
            const kind = KINDS.find(({ value }) => value === event.currentTarget.value)?.value;
            if (kind !== undefined && kind !== "own") set(changeKind(preset, kind));
          }}
        />
        <PresetFields preset={preset} readOnly={readOnly} onChange={set} />
      </Group>
      <TextInput
        label="Expression"
        description="Minute, hour, day of month, month, day of week: *, */5, 1-5 or 1,3,5 each. Sunday is 0."
        required
        value={expression}
        readOnly={readOnly}
        error={isTyping ? null : wrong ? "Invalid expression. See below." : problemText(problems, "expression")}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        onChange={(event) => onChange({ ...trigger, expression: event.currentTarget.value })}
      />
      {wrong ? (
        <FieldProblems expression={expression} problems={own} />
      ) : (
        <Text fw={600}>{cronSentence(expression)}</Text>
      )}
      <Select
        label="Time zone"
        description="Follows daylight saving time. Default: UTC."
        data={zonesWith(timezone)}
        value={timezone ?? "UTC"}
        searchable
        allowDeselect={false}
        limit={50}
        readOnly={readOnly}
        error={own.find(({ path }) => path === "timezone")?.message ?? problemText(problems, "timezone")}
        nothingFoundMessage="No time zone matches. Try a large city near you."
        onChange={(next) => onChange(put(trigger, { timezone: next === null || next === "UTC" ? undefined : next }))}
      />
      <CronNext expression={expression} timezone={timezone} />
    </Stack>
  );
}

/** The fields of the expression with their problems, then the problems of the whole expression. */
function FieldProblems({ expression, problems }: { expression: string; problems: readonly FieldError[] }) {
  const fields = cronFieldsOf(expression);
  const shown = new Set(fields.flatMap(({ problem }) => (problem === null ? [] : [problem])));
  const others = problems.filter(({ path, message }) => path === "expression" && !shown.has(message));
  return (
    <Stack gap={4} role="status">
      <Table withRowBorders={false} verticalSpacing={2} aria-label="The fields of the expression">
        <Table.Tbody>
          {fields.map(({ name, text, problem }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w={120} fw={400}>
                {name}
              </Table.Th>
              <Table.Td>
                <Text component="span" size="sm" ff="monospace">
                  {text === "" ? "–" : text}
                </Text>
                {problem === null ? null : <Input.Error>{problem}</Input.Error>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {others.map(({ message }) => (
        <Input.Error key={message}>{message}</Input.Error>
      ))}
    </Stack>
  );
}

interface PresetFieldsProps {
  preset: CronPreset;
  readOnly: boolean;
  onChange: (preset: Exclude<CronPreset, { kind: "own" }>) => void;
}

function PresetFields({ preset, readOnly, onChange }: PresetFieldsProps) {
  switch (preset.kind) {
    case "own":
      return null;
    case "minutes":
      return (
        <NativeSelect
          label="Minutes"
          data={EVEN_MINUTES.map(String)}
          value={String(preset.every)}
          disabled={readOnly}
          onChange={(event) => onChange({ ...preset, every: Number(event.currentTarget.value) })}
        />
      );
    case "hourly":
      return (
        <FilledNumber
          label="At minute"
          min={0}
          max={59}
          w={110}
          allowDecimal={false}
          clampBehavior="strict"
          value={preset.minute}
          readOnly={readOnly}
          onChange={(next) => onChange({ ...preset, minute: next })}
        />
      );
    case "weekly":
      return (
        <>
          <NativeSelect
            label="Day"
            data={WEEK}
            value={String(preset.day)}
            disabled={readOnly}
            onChange={(event) => onChange({ ...preset, day: Number(event.currentTarget.value) })}
          />
          <TimeInput preset={preset} readOnly={readOnly} onChange={onChange} />
        </>
      );
    case "monthly":
      return (
        <>
          <FilledNumber
            label="Day of the month"
            min={1}
            max={31}
            w={150}
            allowDecimal={false}
            clampBehavior="strict"
            value={preset.day}
            readOnly={readOnly}
            onChange={(next) => onChange({ ...preset, day: Math.max(1, next) })}
          />
          <TimeInput preset={preset} readOnly={readOnly} onChange={onChange} />
        </>
      );
    case "daily":
    case "weekdays":
      return <TimeInput preset={preset} readOnly={readOnly} onChange={onChange} />;
  }
}

const KINDS: { value: CronPresetKind; label: string }[] = [
  { value: "minutes", label: "Every few minutes" },
  { value: "hourly", label: "Every hour" },
  { value: "daily", label: "Every day" },
  { value: "weekdays", label: "Monday to Friday" },
  { value: "weekly", label: "Every week" },
  { value: "monthly", label: "Every month" },
  { value: "own", label: "Custom expression" },
];

const WEEK = [
  { value: "1", label: "Monday" },
  { value: "2", label: "Tuesday" },
  { value: "3", label: "Wednesday" },
  { value: "4", label: "Thursday" },
  { value: "5", label: "Friday" },
  { value: "6", label: "Saturday" },
  { value: "0", label: "Sunday" },
];

function zonesWith(zone: string | undefined): string[] {
  return [...new Set(["UTC", ...(zone === undefined ? [] : [zone]), ...Intl.supportedValuesOf("timeZone")])];
}
