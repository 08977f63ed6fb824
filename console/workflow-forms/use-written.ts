import { useState } from "react";
import type { JsonValue } from "../../schema/contract/json.ts";
import { isSameValue } from "./param-value.ts";
import type { Written } from "./param-value.ts";

/** A value as typed text. The text keeps its formatting as long as it means the value. */
export function useWritten(
  value: JsonValue | undefined,
  written: Written,
  onChange: (value: JsonValue | undefined) => void,
): readonly [text: string, onType: (text: string) => void] {
  const [typed, setTyped] = useState(() => written.write(value));
  const text = isSameValue(written.read(typed), value) ? typed : written.write(value);
  return [
    text,
    (next) => {
      setTyped(next);
      const read = written.read(next);
      if (!isSameValue(read, value)) onChange(read);
    },
  ];
}
