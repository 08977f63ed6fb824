import { Button, Group, Input, NativeSelect, Select, Stack, Table, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { FilledNumber } from "./filled-number.tsx";
import { CRON_PRESETS } from "../../schema/contract/cron.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { cronProblems } from "../../worker/domain/cron/index.ts";
import { cron } from "../strings/en/cron.ts";
import { weekday, zonesWith } from "../strings/time.ts";
import { CronNext } from "./cron-next-runs.tsx";
import { EVEN_MINUTES, changeKind, expressionOf, presetOf } from "./cron-preset.ts";
import type { CronPreset, CronPresetKind } from "./cron-preset.ts";
import { cronFieldsOf, cronSentence } from "./cron-labels.ts";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";

const text = cron.form;

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
      <Group gap="xs" role="group" aria-label={text.common}>
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
          label={text.kind}
          data={KINDS.filter((kind) => kind !== "own" || preset.kind === "own").map((value) => ({
            value,
            label: text.kinds[value],
          }))}
          value={preset.kind}
          disabled={readOnly}
          onChange={(event) => {
            const kind = KINDS.find((value) => value === event.currentTarget.value);
            if (kind !== undefined && kind !== "own") set(changeKind(preset, kind));
          }}
        />
        <PresetFields preset={preset} readOnly={readOnly} onChange={set} />
      </Group>
      <TextInput
        data-part="expression"
        label={text.expression}
        description={text.expressionHint}
        required
        value={expression}
        readOnly={readOnly}
        error={isTyping ? null : wrong ? text.invalid : problemText(problems, "expression")}
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
        data-part="timezone"
        label={text.timeZone}
        description={text.timeZoneHint}
        data={zonesWith(timezone)}
        value={timezone ?? "UTC"}
        searchable
        allowDeselect={false}
        limit={50}
        readOnly={readOnly}
        error={own.find(({ path }) => path === "timezone")?.message ?? problemText(problems, "timezone")}
        nothingFoundMessage={text.noTimeZone}
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
      <Table withRowBorders={false} verticalSpacing={2} aria-label={text.fields}>
        <Table.Tbody>
          {fields.map(({ name, written, problem }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w={120} fw={400}>
                {name}
              </Table.Th>
              <Table.Td>
                <Text component="span" size="sm" ff="monospace">
                  {written === "" ? text.noField : written}
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
          label={text.minutes}
          data={EVEN_MINUTES.map(String)}
          value={String(preset.every)}
          disabled={readOnly}
          onChange={(event) => onChange({ ...preset, every: Number(event.currentTarget.value) })}
        />
      );
    case "hourly":
      return (
        <FilledNumber
          label={text.minute}
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
            label={text.weekday}
            data={WEEK.map((day) => ({ value: String(day), label: weekday(day) }))}
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
            label={text.day}
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

interface TimeInputProps<P extends { hour: number; minute: number }> {
  preset: P;
  readOnly: boolean;
  onChange: (preset: P) => void;
}

/** A time of day. */
function TimeInput<P extends { hour: number; minute: number }>({ preset, readOnly, onChange }: TimeInputProps<P>) {
  const pad = (part: number) => String(part).padStart(2, "0");
  return (
    <TextInput
      type="time"
      label={text.time}
      w={130}
      value={`${pad(preset.hour)}:${pad(preset.minute)}`}
      readOnly={readOnly}
      onChange={(event) => {
        const [hour, minute] = event.currentTarget.value.split(":").map(Number);
        if (hour !== undefined && minute !== undefined) onChange({ ...preset, hour, minute });
      }}
    />
  );
}

const KINDS = [
  "minutes",
  "hourly",
  "daily",
  "weekdays",
  "weekly",
  "monthly",
  "own",
] as const satisfies readonly CronPresetKind[];

/** A week ends with Sunday. */
const WEEK = [1, 2, 3, 4, 5, 6, 0];
