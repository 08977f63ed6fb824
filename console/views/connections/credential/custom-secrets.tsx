import { ActionIcon, Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { isVariableName } from "../../../../schema/contract/variable-name.ts";
import { asSentence } from "../form/check-form.ts";
import { UNREMEMBERED } from "./unremembered.ts";

interface Row {
  key: number;
  name: string;
  value: string;
}

interface Props {
  errorOf: (name: string) => string | null;
  disabled: boolean;
  /** `isWhole`: every row has a unique name and a value. */
  onReplace: (typed: Record<string, string>, isWhole: boolean) => void;
}

/** Secrets with free names, for a custom connection. */
export function CustomSecrets({ errorOf, disabled, onReplace }: Props) {
  const [rows, setRows] = useState<readonly Row[]>([{ key: 0, name: "", value: "" }]);
  const put = (next: readonly Row[]) => {
    setRows(next);
    const filled = next.filter(({ name, value }) => name !== "" || value !== "");
    const isWhole = filled.every((row) => incomplete(row, next) === null);
    onReplace(Object.fromEntries(filled.map(({ name, value }) => [name, value])), isWhole);
  };
  const change = (key: number, changes: Partial<Row>) =>
    put(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Scripts read each secret by its name. A delivery replaces all secrets of this connection on the agents.
      </Text>
      {rows.map((row, index) => (
        <Group key={row.key} gap="xs" align="flex-start" role="group" aria-label={`Secret ${index + 1}`}>
          <TextInput
            flex="1 1 9rem"
            aria-label="Name"
            placeholder="DEPLOY_TOKEN"
            value={row.name}
            error={nameError(row, rows, errorOf)}
            disabled={disabled}
            onChange={(event) => change(row.key, { name: event.currentTarget.value })}
            {...UNREMEMBERED}
          />
          <PasswordInput
            flex="2 1 11rem"
            aria-label="Value"
            value={row.value}
            disabled={disabled}
            onChange={(event) => change(row.key, { value: event.currentTarget.value })}
            {...UNREMEMBERED}
            autoComplete="new-password"
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            disabled={disabled}
            aria-label={`Remove secret ${row.name === "" ? index + 1 : row.name}`}
            onClick={() => put(rows.filter(({ key }) => key !== row.key))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        disabled={disabled}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => put([...rows, { key: Math.max(0, ...rows.map(({ key }) => key)) + 1, name: "", value: "" }])}
        style={{ alignSelf: "flex-start" }}
      >
        Add a secret
      </Button>
    </Stack>
  );
}

function nameError(row: Row, rows: readonly Row[], errorOf: Props["errorOf"]): string | null {
  if (row.name === "" && row.value === "") return null;
  const error = row.name === "" ? null : errorOf(row.name);
  if (error !== null) return asSentence("It", error);
  if (row.name !== "" && !isVariableName(row.name))
    return "Use only letters, digits and _, so that scripts can read the secret.";
  return row.name === "" || row.value !== "" ? incomplete(row, rows) : null;
}

function incomplete(row: Row, rows: readonly Row[]): string | null {
  if (row.name === "") return "It needs a name.";
  if (row.value === "") return "It needs a value.";
  return rows.some(({ key, name }) => key !== row.key && name === row.name) ? "This name is used twice." : null;
}
