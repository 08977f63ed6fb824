import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useState } from "react";
import { Copy } from "./copy.tsx";
import { generatePassword, judgePassword } from "./password-rules.ts";

interface NewPasswordProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What the service said of it. */
  refusal?: string | undefined;
  /** Whether it was sent, or tried to be: what the rules say is then an error. */
  wasSent?: boolean | undefined;
  /** Whether there may be none. */
  isOptional?: boolean | undefined;
  disabled?: boolean | undefined;
  /** For somebody else: offers to make one, to be handed over. */
  offersOne?: boolean | undefined;
}

/** A password to be set: its rules are told while it is typed. */
export function NewPassword({
  label,
  value,
  onChange,
  refusal,
  wasSent,
  isOptional,
  disabled,
  offersOne,
}: NewPasswordProps) {
  const [visible, setVisible] = useState(false);
  const { ok, words } = judgePassword(value);
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
        visibilityToggleButtonProps={{ "aria-label": visible ? "Hide the password" : "Show the password" }}
        description={isWrong ? null : <span aria-live="polite">{words}</span>}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={isWrong ? words : refusal}
        disabled={disabled === true}
      />
      {offersOne === true ? (
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              onChange(generatePassword((count) => crypto.getRandomValues(new Uint8Array(count))));
              setVisible(true);
            }}
          >
            Make one
          </Button>
          {value === "" ? null : <Copy value={value} label="Copy the password" />}
        </Group>
      ) : null}
    </Stack>
  );
}
