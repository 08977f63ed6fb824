import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";
import { overlays } from "./overlays.ts";

/** Asks for confirmation of a change that stops or removes something. Each button names what it does. */
export async function confirm(options: {
  title: string;
  body: ReactNode;
  confirmLabel: string;
  /** The button that changes nothing: "Keep running". */
  keepLabel: string;
  danger?: boolean;
}): Promise<boolean> {
  // Without its code, the browser asks in place of the dialog.
  if (!(await overlays())) return globalThis.confirm(options.title);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  modals.openConfirmModal({
    title: options.title,
    children: (
      <Text size="sm" component="div">
        {options.body}
      </Text>
    ),
    labels: { confirm: options.confirmLabel, cancel: options.keepLabel },
    confirmProps: { color: options.danger === true ? "red" : "cyan" },
    onConfirm: () => resolve(true),
    onCancel: () => resolve(false),
    onClose: () => resolve(false),
  });
  return promise;
}
