import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useId, useState } from "react";
import type { JsonValue } from "../../schema/contract/json.ts";
import { objectOf } from "../../schema/contract/json-object.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { common } from "../strings/en/common.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { isSameValue } from "./param-value.ts";
import type { Written } from "./param-value.ts";
import { problemText } from "./problems.ts";
import { fromRows, rowProblems, toRows } from "./rows.ts";
import { TemplateField } from "./template-field.tsx";

const text = workflowForms.fields;

interface RowsFieldProps {
  label: string;
  description: string | null;
  required: boolean;
  value: JsonValue | undefined;
  written: Written;
  problems: readonly FieldError[];
  path: string;
  readOnly: boolean;
  canBeTemplate?: boolean;
  onChange: (value: JsonValue | undefined) => void;
}

/** Names and values, one row each; or one template that gives all of them. */
export function RowsField(props: RowsFieldProps) {
  const { value, readOnly, onChange, label, written, problems, path, required } = props;
  const id = useId();
  const object = objectOf(value);
  const [typed, setTyped] = useState(() => toRows(object, written));
  const rows = isSameValue(fromRows(typed, written), object) ? typed : toRows(object, written);
  const wrong = rowProblems(rows);

  const change = (next: readonly { name: string; text: string }[]) => {
    setTyped([...next]);
    const read = fromRows(next, written);
    if (!isSameValue(read, object)) onChange(Object.keys(read).length === 0 && !required ? undefined : read);
  };

  if (typeof value === "string") {
    return (
      <Stack gap={4}>
        <TemplateField
          label={label}
          description={props.description}
          required={required}
          value={value}
          error={problemText(problems, path)}
          readOnly={readOnly}
          onChange={onChange}
        />
        {readOnly ? null : (
          <Button size="compact-xs" variant="subtle" w="fit-content" onClick={() => onChange(undefined)}>
            {text.useRows}
          </Button>
        )}
      </Stack>
    );
  }
  return (
    <Input.Wrapper
      id={id}
      label={label}
      labelElement="div"
      labelProps={{ id: `${id}-name` }}
      required={required}
      description={props.description}
      error={rowErrors(problems, path, rows)}
    >
      <Stack gap={6} role="group" aria-labelledby={`${id}-name`} mt={4}>
        {rows.map((row, index) => (
          // Rows have no stable key while they are typed.
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={index} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={text.rowName(label, index + 1)}
              placeholder={common.name}
              value={row.name}
              readOnly={readOnly}
              error={wrong[index]}
              flex="0 1 40%"
              miw={0}
              onChange={(event) => change(rows.with(index, { ...row, name: event.currentTarget.value }))}
            />
            <div data-part={`${path}.${row.name}`} style={{ flex: "1 1 60%", minWidth: 0 }}>
              <TemplateField
                label={text.rowValue(label, titleOf(row, index))}
                labelHidden
                hint={text.value}
                value={row.text}
                readOnly={readOnly}
                error={row.name === "" ? null : problemText(problems, `${path}.${row.name}`)}
                onChange={(next) => change(rows.with(index, { ...row, text: next }))}
              />
            </div>
            {readOnly ? null : (
              <ActionIcon
                variant="subtle"
                color="gray"
                mt={4}
                aria-label={text.remove(titleOf(row, index))}
                onClick={() => change(rows.toSpliced(index, 1))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {readOnly ? (
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {text.noRows}
            </Text>
          ) : null
        ) : (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setTyped([...rows, { name: "", text: "" }])}
            >
              {text.addRow}
            </Button>
            {rows.length === 0 && props.canBeTemplate !== false ? (
              <Button size="compact-sm" variant="subtle" onClick={() => onChange("{{")}>
                {text.useTemplate}
              </Button>
            ) : null}
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

function titleOf({ name }: { name: string }, index: number): string {
  return name === "" ? text.row(index + 1) : name;
}

/** The problems that no row shows. */
function rowErrors(problems: readonly FieldError[], path: string, rows: readonly { name: string }[]): string | null {
  const shown = new Set(rows.flatMap(({ name }) => (name === "" ? [] : [`${path}.${name}`])));
  const rest = problems.filter(
    (problem) => ![...shown].some((at) => problem.path === at || problem.path.startsWith(`${at}.`)),
  );
  return problemText(rest, path);
}
