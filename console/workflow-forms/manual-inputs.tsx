import { Button, Fieldset, Group, Input, NativeSelect, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { common } from "../strings/en/common.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { ChoiceField } from "./choice-field.tsx";
import { INPUT_TYPES, fromInputRows, inputNameProblem, isInputType, toInputRows } from "./input-rows.ts";
import type { InputRow, Inputs } from "./input-rows.ts";
import { WRITTEN, isSameValue } from "./param-value.ts";
import { problemText, problemsElsewhere } from "./problems.ts";
import { put } from "./put.ts";
import { WrittenField } from "./written-field.tsx";

const text = workflowForms.inputs;

interface ManualInputsProps {
  trigger: Extract<Trigger, { type: "manual" }>;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (trigger: Trigger) => void;
}

/** The inputs that a person fills in to run the workflow. */
export function ManualInputs({ trigger, problems, readOnly, onChange }: ManualInputsProps) {
  const inputs: Inputs = trigger.inputs ?? {};
  const [typed, setTyped] = useState(() => toInputRows(inputs));
  const rows = isSameValue(fromInputRows(typed), inputs) ? typed : toInputRows(inputs);
  const change = (next: InputRow[]) => {
    setTyped(next);
    const read = fromInputRows(next);
    if (!isSameValue(read, inputs))
      onChange(put(trigger, { inputs: Object.keys(read).length === 0 ? undefined : read }));
  };
  const rest = problemsElsewhere(
    problems,
    rows.map(({ name }) => `inputs.${name}`),
  );
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {text.about(`{{inputs.${rows.find(({ name }) => name !== "")?.name ?? text.example}}}`)}
      </Text>
      {rows.map((row, index) => {
        const { name, input } = row;
        const title = name === "" ? text.title(index + 1) : name;
        const set = (part: Partial<InputRow["input"]>) => change(rows.with(index, { ...row, input: put(input, part) }));
        return (
          // oxlint-disable-next-line react/no-array-index-key
          <Fieldset key={index} legend={title} p="sm" data-part={`inputs.${name}`}>
            <Stack gap="xs">
              <Group align="flex-start" gap="sm" grow>
                <TextInput
                  label={common.name}
                  required
                  value={name}
                  readOnly={readOnly}
                  error={inputNameProblem(rows, index)}
                  onChange={(event) => change(rows.with(index, { ...row, name: event.currentTarget.value }))}
                />
                <NativeSelect
                  label={common.type}
                  data={[...INPUT_TYPES]}
                  value={input.type}
                  disabled={readOnly}
                  onChange={(event) => {
                    const type = event.currentTarget.value;
                    if (isInputType(type)) set({ type, default: undefined });
                  }}
                />
              </Group>
              <Switch
                label={text.required}
                checked={input.required === true}
                disabled={readOnly}
                onChange={(event) => set({ required: event.currentTarget.checked ? true : undefined })}
              />
              <Switch
                label={text.sensitive}
                description={text.sensitiveHint}
                checked={input.sensitive === true}
                disabled={readOnly}
                onChange={({ currentTarget: { checked } }) =>
                  set(checked ? { sensitive: true, default: undefined } : { sensitive: undefined })
                }
              />
              {input.sensitive === true && input.default === undefined ? null : (
                <div data-field={`inputs.${name}.default`}>
                  <DefaultValue
                    key={input.type}
                    input={input}
                    error={problemText(problems, `inputs.${name}.default`)}
                    readOnly={readOnly}
                    onChange={(value) => set({ default: value })}
                  />
                </div>
              )}
              <TextInput
                data-field={`inputs.${name}.description`}
                label={common.description}
                description={text.descriptionHint}
                value={input.description ?? ""}
                readOnly={readOnly}
                error={problemText(problems, `inputs.${name}.description`)}
                onChange={(event) =>
                  set({ description: event.currentTarget.value === "" ? undefined : event.currentTarget.value })
                }
              />
              <Input.Error>
                {problemText(
                  problemsElsewhere(problems, [`inputs.${name}.default`, `inputs.${name}.description`]),
                  `inputs.${name}`,
                )}
              </Input.Error>
              {readOnly ? null : (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  w="fit-content"
                  leftSection={<IconTrash size={14} aria-hidden />}
                  onClick={() => change(rows.toSpliced(index, 1))}
                >
                  {workflowForms.fields.remove(title)}
                </Button>
              )}
            </Stack>
          </Fieldset>
        );
      })}
      <Input.Error>{problemText(rest, "inputs")}</Input.Error>
      {readOnly ? null : (
        <Button
          size="compact-sm"
          variant="default"
          w="fit-content"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setTyped([...rows, { name: "", input: { type: "string" } }])}
        >
          {text.add}
        </Button>
      )}
    </Stack>
  );
}

interface DefaultValueProps {
  input: InputRow["input"];
  error: string | null;
  readOnly: boolean;
  onChange: (value: InputRow["input"]["default"]) => void;
}

function DefaultValue({ input, error, readOnly, onChange }: DefaultValueProps) {
  if (input.type === "boolean") {
    return (
      <ChoiceField
        label={text.default}
        description={null}
        required={false}
        choices={[
          { label: "true", value: true },
          { label: "false", value: false },
        ]}
        defaultLabel={text.noDefault}
        canBeTemplate={false}
        value={input.default}
        error={error}
        readOnly={readOnly}
        onChange={onChange}
      />
    );
  }
  const written = input.type === "string" ? WRITTEN.text : input.type === "number" ? WRITTEN.number : WRITTEN.json;
  return (
    <WrittenField
      label={text.default}
      value={input.default}
      written={written}
      multiline={written === WRITTEN.json}
      language={written === WRITTEN.json ? "json" : null}
      hint={text.noDefault}
      offered={NOTHING}
      error={error}
      readOnly={readOnly}
      onChange={onChange}
    />
  );
}

const NOTHING = () => [];
