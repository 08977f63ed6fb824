import { NativeSelect, PasswordInput, TextInput, Textarea } from "@mantine/core";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import type { ManualInput } from "./inputs.ts";

const text = workflowTriggers.inputs;

interface Props {
  name: string;
  input: ManualInput;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

/** One input of a manual trigger as a field for its type. */
export function InputField({ name, input, value, problem, onChange }: Props) {
  const isNeeded = input.required === true && input.default === undefined;
  const shared = {
    label: name,
    description: [input.description, text.hints[input.type]].filter(Boolean).join(" "),
    withAsterisk: isNeeded,
    "aria-required": isNeeded,
    error: problem,
    value,
  };
  switch (input.type) {
    case "boolean":
      return (
        <NativeSelect
          {...shared}
          data={[{ value: "", label: emptyChoice(input, isNeeded) }, "true", "false"]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "number":
      return <TextInput {...shared} inputMode="decimal" onChange={(event) => onChange(event.currentTarget.value)} />;
    case "string":
      if (input.sensitive === true) {
        return (
          <PasswordInput {...shared} autoComplete="off" onChange={(event) => onChange(event.currentTarget.value)} />
        );
      }
      return (
        <Textarea
          {...shared}
          autosize
          minRows={1}
          maxRows={12}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "object":
    case "array":
      return (
        <Textarea
          {...shared}
          autosize
          minRows={3}
          maxRows={16}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

function emptyChoice({ default: value }: ManualInput, isNeeded: boolean): string {
  if (isNeeded) return text.choose;
  return value === undefined ? text.notSet : text.defaultValue(String(value));
}
