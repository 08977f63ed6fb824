import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useState } from "react";
import { Copy } from "./copy.tsx";
import { generatePassword, judgePassword } from "./password-rules.ts";
import { controls } from "../strings/en/shell.ts";

interface NewPasswordProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The service's error about the password. */
  refusal?: string | null;
  /** Whether the person has tried to send the form: a broken rule is then an error. */
  wasSent?: boolean | undefined;
  /** Whether the field may stay empty. */
  isOptional?: boolean | undefined;
  disabled?: boolean | undefined;
  /** Offers to generate a password, to hand over to another person. */
  canGenerate?: boolean | undefined;
}

/** A field for a new password. It shows the broken rules while the person types. */
export function NewPassword({
  label,
  value,
  onChange,
  refusal,
  wasSent,
  isOptional,
  disabled,
  canGenerate,
}: NewPasswordProps) {
  const [visible, setVisible] = useState(false);
  const { ok, message } = judgePassword(value);
  const isWrong = wasSent === true && !ok && !(isOptional === true && value === "");
  return (
    <Stack gap={6}>
      <PasswordInput
        label={label}
        name="new-password"
        autoComplete="new-password"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        visible={visible}
        onVisibilityChange={setVisible}
        description={isWrong ? null : <span aria-live="polite">{message}</span>}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={isWrong ? message : refusal}
        disabled={disabled === true}
      />
      {canGenerate === true ? (
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              onChange(generatePassword((count) => crypto.getRandomValues(new Uint8Array(count))));
              setVisible(true);
            }}
          >
            {controls.password.generate}
          </Button>
          {value === "" ? null : <Copy value={value} label={controls.password.copy} />}
        </Group>
      ) : null}
    </Stack>
  );
}
