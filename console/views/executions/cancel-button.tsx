import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { executions } from "../../strings/en/executions.ts";
import { confirm } from "../../ui/confirm.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";

const text = executions.cancel;

interface CancelButtonProps {
  executionId: string;
  size?: "xs" | "sm";
  icon?: ReactNode;
}

/** Cancels an execution after a question: it may have begun since it was read. */
export function CancelButton({ executionId, size = "sm", icon }: CancelButtonProps) {
  const cancel = useToastMutation(
    () => call("POST", "/api/v1/automation/executions/{id}/cancel", { path: { id: executionId } }),
    {
      done: () => text.done,
      failed: text.notDone,
      refreshes: [
        "/api/v1/automation/executions/{id}",
        "/api/v1/automation/executions",
        "/api/v1/automation/maintenance-windows/{id}/suppressed",
        OVERVIEW,
      ],
    },
  );
  const ask = async () => {
    const { title, body, button: confirmLabel, keep: keepLabel } = text;
    if (await confirm({ title, body, confirmLabel, keepLabel, danger: true })) await cancel.run(undefined);
  };
  return (
    <Button
      size={size}
      color="red"
      variant="outline"
      leftSection={icon}
      loading={cancel.isPending}
      onClick={() => void ask()}
    >
      {text.button}
    </Button>
  );
}
