import { ActionIcon, Button, Fieldset, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { namedValue } from "./form-values.ts";
import type { NamedValue } from "./form-values.ts";
import { common } from "../../../strings/en/common.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";

const text = connectionForms.customFields;

interface Props {
  label: string;
  help: string | undefined;
  rows: readonly NamedValue[];
  /** Sentences by the row's key. */
  errors: Readonly<Record<string, string>>;
  onChange: (rows: readonly NamedValue[]) => void;
  onLeave: () => void;
}

/** The free fields of a custom connection: names, and values that are text or JSON. */
export function CustomFields({ label, help, rows, errors, onChange, onLeave }: Props) {
  const change = (key: string, changes: Partial<NamedValue>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  return (
    <Fieldset legend={label} onBlur={onLeave}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {help}
        </Text>
        {rows.map((row, index) => (
          <Group key={row.key} gap="xs" align="flex-start" role="group" aria-label={text.row(index + 1)}>
            <TextInput
              flex="1 1 9rem"
              aria-label={common.name}
              placeholder="REGION"
              value={row.name}
              error={errors[row.key] ?? null}
              onChange={(event) => change(row.key, { name: event.currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
            />
            <TextInput
              flex="2 1 12rem"
              aria-label={text.value}
              placeholder={row.isJson ? '{"cpu": 2}' : "eu-1"}
              value={row.value}
              onChange={(event) => change(row.key, { value: event.currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
            />
            <Select
              w={92}
              aria-label={text.kind}
              data={[text.text, text.json]}
              value={row.isJson ? text.json : text.text}
              allowDeselect={false}
              onChange={(kind) => change(row.key, { isJson: kind === text.json })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={text.remove(row.name === "" ? String(index + 1) : row.name)}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...rows, namedValue()])}
          style={{ alignSelf: "flex-start" }}
        >
          {text.add}
        </Button>
      </Stack>
    </Fieldset>
  );
}
