import { Button, Fieldset, Group, Input, Stack, Text } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { Fragment } from "react";
import type { ReactNode } from "react";
import type { JsonValue } from "../../schema/contract/json.ts";
import { objectOf } from "../../schema/contract/json-object.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import type { ParamField } from "./param-fields.ts";
import { problemText } from "./problems.ts";
import { TemplateField } from "./template-field.tsx";

const text = workflowForms.fields;

interface ObjectsFieldProps {
  label: string;
  description: string | null;
  fields: readonly ParamField[];
  value: JsonValue | undefined;
  problems: readonly FieldError[];
  path: string;
  readOnly: boolean;
  onChange: (value: JsonValue | undefined) => void;
  /** Renders one field. The caller knows every kind of field. */
  control: (
    field: ParamField,
    value: JsonValue | undefined,
    path: string,
    onChange: (value: JsonValue | undefined) => void,
  ) => ReactNode;
}

/** A list of objects with fields, such as the attachments of an email. */
export function ObjectsField(props: ObjectsFieldProps) {
  const { label, description, fields, value, problems, path, readOnly, onChange, control } = props;
  if (typeof value === "string") {
    return (
      <TemplateField
        label={label}
        description={text.wholeList}
        value={value}
        error={problemText(problems, path)}
        readOnly={readOnly}
        onChange={(next) => onChange(next === "" ? undefined : next)}
      />
    );
  }
  const members = Array.isArray(value) ? value : [];
  const change = (list: JsonValue[]) => onChange(list.length === 0 ? undefined : list);
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      {description === null ? null : <Input.Description>{description}</Input.Description>}
      {members.map((member, index) => {
        const object = objectOf(member);
        return (
          // oxlint-disable-next-line react/no-array-index-key
          <Fieldset key={index} legend={text.member(label, index + 1)} p="sm">
            <Stack gap="sm">
              {fields.map((field) => (
                <Fragment key={field.name}>
                  {control(field, object[field.name], `${path}.${index}.${field.name}`, (next) => {
                    const { [field.name]: _before, ...rest } = object;
                    change(members.with(index, next === undefined ? rest : { ...object, [field.name]: next }));
                  })}
                </Fragment>
              ))}
              {readOnly ? null : (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  w="fit-content"
                  leftSection={<IconTrash size={14} aria-hidden />}
                  onClick={() => change(members.toSpliced(index, 1))}
                >
                  {text.remove(text.member(label, index + 1))}
                </Button>
              )}
            </Stack>
          </Fieldset>
        );
      })}
      {readOnly ? null : (
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => change([...members, {}])}
          >
            {text.addItem}
          </Button>
          {members.length > 0 ? null : (
            <Button size="compact-sm" variant="subtle" onClick={() => onChange("{{")}>
              {text.useTemplate}
            </Button>
          )}
        </Group>
      )}
      {members.length > 0 ? null : <Input.Error>{problemText(problems, path)}</Input.Error>}
    </Stack>
  );
}
