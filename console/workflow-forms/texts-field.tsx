import { ActionIcon, Button, Group, Input, Stack } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useId } from "react";
import type { JsonValue } from "../../schema/contract/json.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { WRITTEN } from "./param-value.ts";
import { problemText } from "./problems.ts";
import { TemplateField } from "./template-field.tsx";

const catalogue = workflowForms.fields;

interface TextsFieldProps {
  label: string;
  description: string | null;
  required: boolean;
  /** True: one text may replace the list. False: a text is one template that gives the list. */
  oneIsEnough: boolean;
  value: JsonValue | undefined;
  problems: readonly FieldError[];
  path: string;
  readOnly: boolean;
  onChange: (value: JsonValue | undefined) => void;
}

/** A list of texts, one row each; or one text. */
export function TextsField(props: TextsFieldProps) {
  const { label, description, required, oneIsEnough, value, problems, path, readOnly, onChange } = props;
  const id = useId();
  const toList = (list: readonly JsonValue[]) => onChange(list.length === 0 && !required ? undefined : [...list]);
  if (typeof value === "string" || (oneIsEnough && !Array.isArray(value))) {
    const text = typeof value === "string" ? value : "";
    return (
      <Stack gap={4}>
        <TemplateField
          label={label}
          description={description}
          required={required}
          value={text}
          error={problemText(problems, path)}
          readOnly={readOnly}
          onChange={(next) => onChange(next === "" && oneIsEnough ? undefined : next)}
        />
        {readOnly ? null : (
          <Button
            size="compact-xs"
            variant="subtle"
            w="fit-content"
            onClick={() => onChange(text === "" ? [""] : [text])}
          >
            {catalogue.useList}
          </Button>
        )}
      </Stack>
    );
  }
  const members = Array.isArray(value) ? value : [];
  const error = problemText(
    problems.filter((problem) => !new RegExp(`^${path}\\.\\d+(?:\\.|$)`, "u").test(problem.path)),
    path,
  );
  return (
    <Input.Wrapper
      id={id}
      label={label}
      labelElement="div"
      labelProps={{ id: `${id}-name` }}
      required={required}
      description={description}
      error={error}
    >
      <Stack gap={6} role="group" aria-labelledby={`${id}-name`} mt={4}>
        {members.map((member, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={index} gap={6} wrap="nowrap" align="flex-start">
            <div data-part={`${path}.${index}`} style={{ flex: 1, minWidth: 0 }}>
              <TemplateField
                label={catalogue.member(label, index + 1)}
                labelHidden
                value={WRITTEN.text.write(member)}
                error={problemText(problems, `${path}.${index}`)}
                readOnly={readOnly}
                onChange={(text) => toList(members.with(index, text))}
              />
            </div>
            {readOnly ? null : (
              <ActionIcon
                variant="subtle"
                color="gray"
                mt={4}
                aria-label={catalogue.remove(catalogue.member(label, index + 1))}
                onClick={() => toList(members.toSpliced(index, 1))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {readOnly ? null : (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => toList([...members, ""])}
            >
              {catalogue.addRow}
            </Button>
            {members.length > 1 ? null : (
              <Button
                size="compact-sm"
                variant="subtle"
                onClick={() =>
                  onChange(members.length === 1 ? WRITTEN.text.write(members[0]) : oneIsEnough ? undefined : "{{")
                }
              >
                {oneIsEnough ? catalogue.useOne : catalogue.useTemplate}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
