import { TextInput } from "@mantine/core";
import type { TextInputProps } from "@mantine/core";
import { useState } from "react";
import { common } from "../strings/en/common.ts";

interface FieldProps extends Omit<TextInputProps, "value" | "defaultValue" | "onChange" | "error" | "required"> {
  min?: number | undefined;
  max?: number | undefined;
  /** Whether fractions are allowed. */
  fractions?: boolean;
  /** The service's error. The field's own error comes first. */
  error?: string | null | undefined;
}
type NumberFieldProps = FieldProps &
  (
    | { required: true; value: number; onChange: (value: number) => void }
    | { required?: false; value: number | undefined; onChange: (value: number | undefined) => void }
  );

/**
 * A number that keeps what a person types: nothing is corrected or filled in. Text that is not a number gives NaN, which the
 * service refuses, as does an empty field that is required.
 */
export function NumberField(props: NumberFieldProps) {
  const { min, max, fractions = false, error, required = false, value, onChange: _, ...field } = props;
  const { text, isTyped, type } = useNumberText(value, fractions);
  const own =
    numberProblem(text, { min, max, fractions }) ?? (required && isTyped && isBlank(text) ? common.required : null);
  return (
    <TextInput
      {...field}
      inputMode={fractions ? "decimal" : "numeric"}
      autoComplete="off"
      required={required}
      value={text}
      error={own ?? error}
      onChange={(event) => {
        const next = type(event.currentTarget.value);
        if (props.required === true) props.onChange(next ?? Number.NaN);
        else props.onChange(next);
      }}
    />
  );
}

/** The text of a number's field. It stays as typed until the number is changed from elsewhere. */
export function useNumberText(value: number | undefined, fractions = false) {
  const [typed, setTyped] = useState<string | null>(null);
  const isTyped = typed !== null && Object.is(readNumber(typed, fractions) ?? Number.NaN, value ?? Number.NaN);
  const type = (text: string) => {
    setTyped(text);
    return readNumber(text, fractions);
  };
  return { text: isTyped ? typed : Number.isFinite(value) ? String(value) : "", isTyped, type };
}

interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
  fractions?: boolean;
}

/** Why a text is not a number within the bounds; null for such a number and for an empty text. */
export function numberProblem(text: string, { min = -Infinity, max = Infinity, fractions = false }: Bounds) {
  const value = readNumber(text, fractions);
  if (value === undefined || (value >= min && value <= max)) return null;
  return common.numbers.within(fractions ? common.numbers.any : common.numbers.whole, min, max);
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Undefined for an empty text, NaN for one that is not such a number. */
function readNumber(text: string, fractions: boolean): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return (fractions ? /^-?\d{1,15}(?:\.\d+)?$/u : /^-?\d{1,15}$/u).test(trimmed) ? Number(trimmed) : Number.NaN;
}
