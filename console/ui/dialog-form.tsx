import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import type { MantineColor } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { asFormError } from "./conflict.ts";
import { ProblemText } from "./states.tsx";
import { common } from "../strings/en/common.ts";

interface DialogFormProps {
  title: string;
  submitLabel: string;
  submitColor?: MantineColor;
  close: () => void;
  submit: () => unknown;
  isPending: boolean;
  /** The error that no field shows. */
  error: unknown;
  children: ReactNode;
}

/** A form in a dialog. A click outside does not close it: the typed text would be lost. */
export function DialogForm(props: DialogFormProps) {
  const { title, submitLabel, submitColor = "cyan", close, submit, isPending, error, children } = props;
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <Modal opened onClose={close} title={title} closeOnClickOutside={false}>
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          {children}
          {error === null ? null : (
            <Alert color="red" role="alert">
              <ProblemText error={asFormError(error)} />
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button type="submit" color={submitColor} loading={isPending}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
