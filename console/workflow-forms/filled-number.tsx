import { NumberInput } from "@mantine/core";
import type { NumberInputProps } from "@mantine/core";
import { useState } from "react";

interface FilledNumberProps extends Omit<NumberInputProps, "value" | "defaultValue" | "onChange" | "onBlur"> {
  value: number;
  onChange: (value: number) => void;
}

/**
 * A number that always has a value. A field that is emptied to type another number stays empty, and the value stays the
 * same: filling in a value immediately would put it before the next typed digit, so that 2 becomes 12.
 */
export function FilledNumber({ value, onChange, ...field }: FilledNumberProps) {
  const [isEmpty, setEmpty] = useState(false);
  return (
    <NumberInput
      {...field}
      value={isEmpty ? "" : value}
      onChange={(next) => {
        setEmpty(next === "");
        if (typeof next === "number") onChange(next);
      }}
      onBlur={() => setEmpty(false)}
    />
  );
}
