import { Button } from "@mantine/core";
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { maintenance } from "../../strings/en/maintenance.ts";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";

const text = maintenance.runs;

/** Runs what a maintenance window keeps from beginning, and opens the run when it is another one. */
export function BeginButton({ executionId, size = "sm" }: { executionId: string; size?: "xs" | "sm" }) {
  const [, navigate] = useLocation();
  const begin = useToastMutation(
    async () => {
      const path = { id: executionId };
      const begun = await call("POST", "/api/v1/automation/executions/{id}/begin", { path });
      if (begun.executionId !== executionId) navigate(`/executions/${begun.executionId}`);
    },
    {
      done: () => text.begun,
      failed: text.notBegun,
      refreshes: [
        "/api/v1/automation/maintenance-windows/{id}/suppressed",
        "/api/v1/automation/executions/{id}",
        "/api/v1/automation/executions",
        OVERVIEW,
      ],
    },
  );
  return (
    <Button size={size} loading={begin.isPending} onClick={() => void begin.run(undefined)}>
      {text.runNow}
    </Button>
  );
}
