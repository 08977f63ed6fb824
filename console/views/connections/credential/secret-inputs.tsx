import {
  Button,
  FileButton,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Textarea,
} from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { asSentence } from "../form/check-form.ts";
import { CustomSecrets } from "./custom-secrets.tsx";
import type { SecretRow } from "./custom-secrets.tsx";
import type { SecretForm } from "./secret-fields.ts";
import { UNREMEMBERED } from "./unremembered.ts";

const text = credentials.secret;
const FILE_MAX_BYTES = 1_048_576;

interface Props {
  type: ConnectionType;
  forms: readonly SecretForm[];
  /** The index of the selected form. */
  chosen: number;
  typed: Readonly<Record<string, string>>;
  errorOf: (name: string) => string | null;
  disabled: boolean;
  onChoose: (index: number) => void;
  onType: (name: string, value: string) => void;
  rows: readonly SecretRow[];
  onRows: (rows: readonly SecretRow[]) => void;
}

/** The fields for a type's secrets. Only this dialog holds the secrets until they are encrypted. */
export function SecretInputs(props: Props) {
  const { forms, chosen, typed, errorOf, disabled, onChoose, onType, rows, onRows } = props;
  const form = forms[chosen];
  if (form === undefined) return null;
  return (
    <Stack gap="sm">
      {forms.length < 2 ? null : (
        <SegmentedControl
          aria-label={text.choice}
          data={forms.map(({ fields }, index) => ({
            value: String(index),
            label: fields[0]?.label ?? "",
          }))}
          value={String(chosen)}
          disabled={disabled}
          onChange={(value) => onChoose(Number(value))}
        />
      )}
      {form.isFree ? <CustomSecrets rows={rows} errorOf={errorOf} disabled={disabled} onRows={onRows} /> : null}
      {form.fields.map(({ name, required, label, help, isFile, isName }) => {
        const message = errorOf(name);
        const shared = {
          label,
          description: help,
          withAsterisk: required,
          "aria-required": required,
          value: typed[name] ?? "",
          error: message === null ? null : asSentence(label, message),
          disabled,
          ...UNREMEMBERED,
        };
        const take = (event: { currentTarget: { value: string } }) => onType(name, event.currentTarget.value);
        if (isFile === true) {
          return (
            <div key={name}>
              <Textarea
                {...shared}
                onChange={take}
                minRows={6}
                maxRows={12}
                autosize
                styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
              />
              <FromFile label={label} disabled={disabled} onRead={(text) => onType(name, text)} />
            </div>
          );
        }
        if (isName === true) return <TextInput key={name} {...shared} onChange={take} />;
        return <PasswordInput key={name} {...shared} onChange={take} autoComplete="new-password" />;
      })}
    </Stack>
  );
}

/** Reads a file into the field. The file is not uploaded. */
function FromFile({ label, disabled, onRead }: { label: string; disabled: boolean; onRead: (text: string) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const reset = useRef<() => void>(null);
  const read = async (file: File | null) => {
    if (file === null) return;
    // Resets the input, so that the same file can be selected again after it was fixed.
    reset.current?.();
    setProblem(null);
    if (file.size > FILE_MAX_BYTES) return setProblem(text.fileTooLarge);
    try {
      onRead(await file.text());
    } catch {
      setProblem(text.fileUnreadable);
    }
  };
  return (
    <Group gap="xs" mt={6}>
      <FileButton
        onChange={(file) => void read(file)}
        resetRef={reset}
        disabled={disabled}
        inputProps={{ "aria-label": text.fileOf(label) }}
      >
        {(button) => (
          <Button
            {...button}
            size="compact-sm"
            variant="default"
            leftSection={<IconFileUpload size={14} aria-hidden />}
          >
            {text.fromFile}
          </Button>
        )}
      </FileButton>
      {problem === null ? null : (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
    </Group>
  );
}
