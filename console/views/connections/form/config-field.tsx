import { labelsOf } from "./field-labels.ts";
import { Radio, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { placeholderOf } from "./config-fields.ts";
import type { ConfigField } from "./config-fields.ts";
import type { ConfigValue, FormValues } from "./form-values.ts";

interface Props {
  type: ConnectionType;
  field: ConfigField;
  config: FormValues["config"];
  required: boolean;
  error: string | null;
  onChange: (value: ConfigValue) => void;
  onLeave: () => void;
}

/** One field of a configuration, with the control for its kind in the contract. */
export function ConfigFieldInput({ type, field, config, required, error, onChange, onLeave }: Props) {
  const { name, kind, options, min, max } = field;
  const { label, help, choices } = labelsOf(type, name);
  const value = config[name];
  const shared = { label, description: help, error, withAsterisk: required, onBlur: onLeave };
  switch (kind) {
    case "text":
      return (
        <TextInput
          {...shared}
          value={typeof value === "string" ? value : ""}
          placeholder={placeholderOf(type, name, config)}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          aria-required={required}
        />
      );
    case "lines":
      return (
        <Textarea
          {...shared}
          value={typeof value === "string" ? value : ""}
          placeholder={placeholderOf(type, name, config)}
          onChange={(event) => onChange(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={12}
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          aria-required={required}
        />
      );
    case "number":
      return (
        <NumberField
          {...shared}
          value={typeof value === "number" ? value : undefined}
          placeholder={placeholderOf(type, name, config)}
          onChange={(next) => onChange(next ?? "")}
          min={min ?? undefined}
          max={max ?? undefined}
          maw={220}
          aria-required={required}
        />
      );
    case "boolean":
      return (
        <Switch
          label={label}
          description={help}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "choice":
      return (
        <Radio.Group {...shared} value={String(value ?? "")} onChange={onChange}>
          <Stack gap={6} mt={6}>
            {options.map((option) => (
              <Radio
                key={option}
                value={option}
                label={choices?.[option]?.label ?? option}
                description={choices?.[option]?.help}
              />
            ))}
          </Stack>
        </Radio.Group>
      );
    case "names":
    case "sealed":
      return null;
  }
}
