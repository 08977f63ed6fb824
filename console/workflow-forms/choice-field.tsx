import { Select, Stack } from "@mantine/core";
import { useState } from "react";
import type { JsonValue } from "../../schema/contract/json.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { TemplateField } from "./template-field.tsx";

const text = workflowForms.fields;
const NOT_SET = "";
const TEMPLATE = "template";

interface ChoiceFieldProps {
  label: string;
  description: string | null;
  required: boolean;
  /** The label and the value of each choice. */
  choices: readonly { label: string; value: JsonValue }[];
  /** The label for no choice. */
  defaultLabel: string;
  canBeTemplate?: boolean;
  value: JsonValue | undefined;
  error: string | null;
  readOnly: boolean;
  onChange: (value: JsonValue | undefined) => void;
}

/** One of a few values, or a template that results in one. */
export function ChoiceField(props: ChoiceFieldProps) {
  const { label, choices, value, error, readOnly, required, onChange } = props;
  const chosen = choices.findIndex((choice) => choice.value === value);
  const isOther = value !== undefined && chosen < 0;
  const [wantsTemplate, setWantsTemplate] = useState(isOther);
  const asTemplate = isOther || (wantsTemplate && value === undefined);
  return (
    <Stack gap={4}>
      <Select
        label={label}
        description={props.description}
        withAsterisk={required}
        required={required}
        readOnly={readOnly}
        allowDeselect={false}
        error={asTemplate ? null : error}
        data={[
          ...(required ? [] : [{ value: NOT_SET, label: props.defaultLabel }]),
          ...choices.map((choice, index) => ({ value: String(index), label: choice.label })),
          ...(props.canBeTemplate === false ? [] : [{ value: TEMPLATE, label: text.useTemplateMore }]),
        ]}
        value={asTemplate ? TEMPLATE : chosen < 0 ? (required ? null : NOT_SET) : String(chosen)}
        onChange={(next) => {
          setWantsTemplate(next === TEMPLATE);
          onChange(next === null || next === NOT_SET || next === TEMPLATE ? undefined : choices[Number(next)]?.value);
        }}
      />
      {asTemplate ? (
        <TemplateField
          label={text.template(label)}
          labelHidden
          value={typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value)}
          error={error}
          readOnly={readOnly}
          hint={text.templateExample}
          onChange={(text) => onChange(text === "" ? undefined : text)}
        />
      ) : null}
    </Stack>
  );
}
