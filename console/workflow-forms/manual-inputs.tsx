import { Button, Fieldset, Group, Input, NativeSelect, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { ChoiceField } from "./choice-field.tsx";
import { INPUT_TYPES, fromInputRows, inputNameProblem, isInputType, toInputRows } from "./input-rows.ts";
import type { InputRow, Inputs } from "./input-rows.ts";
import { WRITTEN, isSameValue } from "./param-value.ts";
import { problemText, problemsElsewhere } from "./problems.ts";
import { put } from "./put.ts";
import { WrittenField } from "./written-field.tsx";

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
        A person starts the workflow in the console or through the API and fills in these inputs. Templates name them,
        such as {`{{inputs.${rows[0]?.name === undefined || rows[0].name === "" ? "service" : rows[0].name}}}`}. Without
        inputs, the workflow takes any variables.
      </Text>
      {rows.map((row, index) => {
        const { name, input } = row;
        const title = name === "" ? `Input ${index + 1}` : name;
        const set = (part: Partial<InputRow["input"]>) => change(rows.with(index, { ...row, input: put(input, part) }));
        return (
          // oxlint-disable-next-line react/no-array-index-key
          <Fieldset key={index} legend={title} p="sm">
            <Stack gap="xs">
              <Group align="flex-start" gap="sm" grow>
                <TextInput
                  label="Name"
                  required
                  value={name}
                  readOnly={readOnly}
                  error={inputNameProblem(rows, index)}
                  onChange={(event) => change(rows.with(index, { ...row, name: event.currentTarget.value }))}
                />
                <NativeSelect
                  label="Type"
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
                label="Required"
                checked={input.required === true}
                disabled={readOnly}
                onChange={(event) => set({ required: event.currentTarget.checked ? true : undefined })}
              />
              <Switch
                label="Sensitive"
                description="Runs show *** in place of the value. Not for credentials: these belong to connections."
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
                label="Description"
                description="Shown to the person who runs the workflow."
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
                  Remove {title}
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
          Add an input
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
        label="Default"
        description={null}
        required={false}
        choices={[
          { label: "true", value: true },
          { label: "false", value: false },
        ]}
        defaultLabel="None"
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
      label="Default"
      value={input.default}
      written={written}
      multiline={written === WRITTEN.json}
      language={written === WRITTEN.json ? "json" : null}
      hint="None"
      offered={NOTHING}
      error={error}
      readOnly={readOnly}
      onChange={onChange}
    />
  );
}

const NOTHING = () => [];
