import { useState } from "react";
import type { JsonValue } from "../../schema/contract/json.ts";
import { WRITTEN, isSameValue, jsonProblem } from "./param-value.ts";
import type { Written } from "./param-value.ts";
import { TemplateField } from "./template-field.tsx";
import type { TemplateFieldProps } from "./template-field.tsx";

interface WrittenFieldProps extends Omit<TemplateFieldProps, "value" | "onChange"> {
  value: JsonValue | undefined;
  written: Written;
  onChange: (value: JsonValue | undefined) => void;
}

/** A value of any kind that is edited as text. */
export function WrittenField({ value, written, onChange, error, ...field }: WrittenFieldProps) {
  const [text, onType] = useWritten(value, written, onChange);
  const own = written === WRITTEN.json ? jsonProblem(text) : null;
  // Text with templates may be JSON after they are replaced: only a problem of the draft is shown.
  const shown =
    own === null
      ? (error ?? null)
      : error == null && text.includes("{{")
        ? null
        : [own, error].filter((part) => part != null).join(" ");
  return <TemplateField {...field} value={text} onChange={onType} error={shown} />;
}

/** A value as typed text. The text keeps its formatting as long as it means the value. */
function useWritten(
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
