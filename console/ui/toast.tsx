import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { notDone } from "./not-done.ts";
import { overlays } from "./overlays.ts";
import { ProblemText } from "./states.tsx";
import { controls } from "../strings/en/shell.ts";

/** Long enough to read the message and to decide. */
const WITH_UNDO_MS = 12_000;

interface ToastOptions {
  /** The id of the thing that changed: a newer message about it replaces this one. */
  about?: string;
  /** Takes the change back by another call. */
  undo?: () => void;
  /** Stays until it is closed: nothing else offers the undo. */
  stays?: boolean;
}

/** A message in the corner about a change: successes disappear after a while, failures stay until they are closed. */
export function toastSuccess(message: string, { about, undo, stays = false }: ToastOptions = {}): void {
  replace(about, (id) => ({
    id,
    color: "teal",
    message: undo === undefined ? message : <WithUndo message={message} id={id} undo={undo} />,
    ...(undo === undefined ? {} : { autoClose: stays ? false : WITH_UNDO_MS }),
  }));
}

export function toastFailure(title: string, error: unknown, { about }: Pick<ToastOptions, "about"> = {}): void {
  replace(about, (id) => ({
    id,
    color: "red",
    title: notDone(title, error),
    message: <ProblemText error={error} />,
    autoClose: false,
  }));
}

/** The toast that is shown about each thing. */
const shown = new Map<string, string>();

function replace(
  about: string | undefined,
  toast: (id: string) => Parameters<typeof notifications.show>[0] & { id: string },
): void {
  const id = crypto.randomUUID();
  if (about !== undefined) {
    const former = shown.get(about);
    if (former !== undefined) notifications.hide(former);
    shown.set(about, id);
  }
  // Until it is loaded, the toast is kept.
  void overlays();
  notifications.show(toast(id));
}

function WithUndo({ message, id, undo }: { message: string; id: string; undo: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{message}</Text>
      <Button
        size="compact-sm"
        variant="default"
        flex="none"
        aria-label={controls.undoThis}
        onClick={() => {
          notifications.hide(id);
          undo();
        }}
      >
        {controls.undo}
      </Button>
    </Group>
  );
}
