import { NumberInput } from "@mantine/core";
import type { NumberInputProps } from "@mantine/core";
import { useState } from "react";

interface FilledNumberProps extends Omit<NumberInputProps, "value" | "defaultValue" | "onChange" | "onBlur"> {
  value: number;
  onChange: (value: number) => void;
}

/**
 * A number that is always there. Emptied to type another, the field stays empty and the number what it was: a value put
 * in at once would stand before what is typed next, and make 12 of a 2.
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
