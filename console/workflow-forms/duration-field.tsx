import { Group, Input, NativeSelect, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { common } from "../strings/en/common.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { isBlank, numberProblem, useNumberText } from "../ui/number-field.tsx";
import { UNITS, isUnit, secondsOf, splitSeconds, toSeconds } from "./duration.ts";

const text = workflowForms.fields;

interface DurationFieldProps {
  /** The field's path in its form. */
  part?: string;
  label: string;
  description?: string;
  seconds: number | undefined;
  /** In seconds. */
  min?: number;
  max?: number;
  /** The meaning of an empty field; without it, the field is required. */
  emptyLabel?: string;
  error: string | null;
  readOnly: boolean;
  onChange: (seconds: number | undefined) => void;
}

/** A duration: a number and its unit. */
export function DurationField(props: DurationFieldProps) {
  const { part, label, description, seconds, min = 1, max, emptyLabel, readOnly, onChange } = props;
  const id = useId();
  const [chosen, setChosen] = useState(() => (seconds === undefined ? "seconds" : splitSeconds(seconds).unit));
  // The unit stays while it fits, so that 60 seconds do not become a minute while the person types.
  const fits = seconds === undefined || Number.isNaN(seconds) || seconds % secondsOf(chosen) === 0;
  const unit = fits ? chosen : splitSeconds(seconds).unit;
  const { text: amount, isTyped, type } = useNumberText(seconds === undefined ? undefined : seconds / secondsOf(unit));
  const required = emptyLabel === undefined;
  const own = isBlank(amount)
    ? required && isTyped
      ? common.required
      : null
    : (numberProblem(amount, {}) ?? durationProblem(seconds, min, max));
  const error = own ?? props.error;
  const described = [
    ...(description === undefined ? [] : [`${id}-description`]),
    ...(error === null ? [] : [`${id}-error`]),
  ].join(" ");
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error}
      required={required}
      {...(part === undefined ? {} : { "data-part": part })}
    >
      <Group gap={6} wrap="nowrap" mt={4} align="flex-start">
        <TextInput
          id={id}
          inputMode="numeric"
          autoComplete="off"
          aria-describedby={described === "" ? undefined : described}
          error={error !== null}
          value={amount}
          placeholder={emptyLabel}
          readOnly={readOnly}
          flex={1}
          onChange={(event) => {
            const next = type(event.currentTarget.value);
            if (next !== undefined) onChange(toSeconds(next, unit));
            else onChange(required ? Number.NaN : undefined);
          }}
        />
        <NativeSelect
          aria-label={text.unit(label)}
          data={UNITS.map((one) => ({ value: one.unit, label: text.units[one.unit] }))}
          value={unit}
          disabled={readOnly}
          onChange={(event) => {
            const next = event.currentTarget.value;
            if (!isUnit(next)) return;
            setChosen(next);
            if (seconds !== undefined) onChange(toSeconds(seconds / secondsOf(unit), next));
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}

function durationProblem(seconds: number | undefined, min: number, max: number | undefined): string | null {
  if (seconds === undefined || (seconds >= min && (max === undefined || seconds <= max))) return null;
  return max === undefined ? text.atLeast(min) : text.between(min, max);
}
