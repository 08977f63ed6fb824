import { ActionIcon, Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { isVariableName } from "../../../../schema/contract/variable-name.ts";
import { common } from "../../../strings/en/common.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { asSentence } from "../form/check-form.ts";
import { UNREMEMBERED } from "./unremembered.ts";

const { free, it } = credentials.secret;

/** A secret with a free name. */
export interface SecretRow {
  key: number;
  name: string;
  value: string;
}

export const NO_SECRETS: readonly SecretRow[] = [{ key: 0, name: "", value: "" }];

interface Props {
  rows: readonly SecretRow[];
  errorOf: (name: string) => string | null;
  disabled: boolean;
  onRows: (rows: readonly SecretRow[]) => void;
}

/** The secrets by name; null while a row has no unique name or no value. */
export function secretsOf(rows: readonly SecretRow[]): Record<string, string> | null {
  const filled = rows.filter(({ name, value }) => name !== "" || value !== "");
  if (filled.some((row) => incomplete(row, filled) !== null)) return null;
  return Object.fromEntries(filled.map(({ name, value }) => [name, value]));
}

/** Secrets with free names, for a custom connection. */
export function CustomSecrets({ rows, errorOf, disabled, onRows }: Props) {
  const change = (key: number, changes: Partial<SecretRow>) =>
    onRows(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {free.help}
      </Text>
      {rows.map((row, index) => (
        <Group key={row.key} gap="xs" align="flex-start" role="group" aria-label={free.row(index + 1)}>
          <TextInput
            flex="1 1 9rem"
            aria-label={common.name}
            placeholder="DEPLOY_TOKEN"
            value={row.name}
            error={nameError(row, rows, errorOf)}
            disabled={disabled}
            onChange={(event) => change(row.key, { name: event.currentTarget.value })}
            {...UNREMEMBERED}
          />
          <PasswordInput
            flex="2 1 11rem"
            aria-label={free.value}
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
            aria-label={free.remove(row.name === "" ? String(index + 1) : row.name)}
            onClick={() => onRows(rows.filter(({ key }) => key !== row.key))}
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
        onClick={() => onRows([...rows, { key: Math.max(0, ...rows.map(({ key }) => key)) + 1, name: "", value: "" }])}
        style={{ alignSelf: "flex-start" }}
      >
        {free.add}
      </Button>
    </Stack>
  );
}

function nameError(row: SecretRow, rows: readonly SecretRow[], errorOf: Props["errorOf"]): string | null {
  if (row.name === "" && row.value === "") return null;
  const error = row.name === "" ? null : errorOf(row.name);
  if (error !== null) return asSentence(it, error);
  if (row.name !== "" && !isVariableName(row.name)) return free.badName;
  return row.name === "" || row.value !== "" ? incomplete(row, rows) : null;
}

function incomplete(row: SecretRow, rows: readonly SecretRow[]): string | null {
  if (row.name === "") return free.noName;
  if (row.value === "") return free.noValue;
  return rows.some(({ key, name }) => key !== row.key && name === row.name) ? free.twice : null;
}
