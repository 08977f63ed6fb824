import { Group, Input, NativeSelect, NumberInput } from "@mantine/core";
import { useId, useState } from "react";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { UNITS, isUnit, secondsOf, splitSeconds, toSeconds } from "./duration.ts";

const text = workflowForms.fields;

interface DurationFieldProps {
  /** The field's path in its form. */
  part?: string;
  label: string;
  description?: string;
  seconds: number | undefined;
  /** The meaning of an empty field. */
  emptyLabel?: string;
  required?: boolean;
  error: string | null;
  readOnly: boolean;
  onChange: (seconds: number | undefined) => void;
}

/** A duration: a number and its unit. */
export function DurationField(props: DurationFieldProps) {
  const { part, label, description, seconds, emptyLabel, required = false, error, readOnly, onChange } = props;
  const id = useId();
  // A field that must have a value is empty only while the person types another one.
  const mayBeEmpty = required || emptyLabel !== undefined;
  const [isEmpty, setEmpty] = useState(false);
  const [chosen, setChosen] = useState(() => (seconds === undefined ? "seconds" : splitSeconds(seconds).unit));
  // The unit stays while it fits, so that 60 seconds do not become a minute while the person types.
  const fits = seconds === undefined || seconds % secondsOf(chosen) === 0;
  const unit = fits ? chosen : splitSeconds(seconds).unit;
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
        <NumberInput
          id={id}
          aria-describedby={described === "" ? undefined : described}
          error={error !== null}
          value={isEmpty || seconds === undefined ? "" : seconds / secondsOf(unit)}
          placeholder={emptyLabel}
          allowNegative={false}
          allowDecimal={false}
          readOnly={readOnly}
          flex={1}
          onChange={(next) => {
            const isLeftOut = next === "" && !mayBeEmpty;
            setEmpty(isLeftOut);
            if (!isLeftOut) onChange(typeof next === "number" ? toSeconds(next, unit) : undefined);
          }}
          onBlur={() => setEmpty(false)}
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
