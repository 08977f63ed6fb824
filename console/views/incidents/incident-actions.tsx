import { Button } from "@mantine/core";
import { useState } from "react";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { call } from "../../api/client.ts";
import { incidents } from "../../strings/en/incidents.ts";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { AssignModal } from "./assign-modal.tsx";
import { INCIDENT_READS } from "./refreshes.ts";

const text = incidents.actions;

/** The actions on an incident in its present status. A resolved incident has none. */
export function IncidentActions({ incident }: { incident: IncidentView }) {
  const { id, status, revision } = incident;
  const [open, setOpen] = useState<"escalate" | "reassign" | null>(null);
  const acknowledge = useToastMutation(
    () => call("POST", "/api/v1/automation/incidents/{id}/acknowledge", { path: { id } }, { ifMatch: revision }),
    {
      done: () => text.acknowledge.done,
      failed: text.acknowledge.failed,
      refreshes: INCIDENT_READS,
    },
  );
  const resolve = useToastMutation(
    () => call("POST", "/api/v1/automation/incidents/{id}/resolve", { path: { id } }, { ifMatch: revision }),
    { done: () => text.resolve.done, failed: text.resolve.failed, refreshes: INCIDENT_READS },
  );
  return (
    <>
      {status === "resolved" ? null : (
        <>
          {status === "triggered" ? (
            <Button loading={acknowledge.isPending} onClick={() => void acknowledge.run(undefined)}>
              {text.acknowledge.name}
            </Button>
          ) : null}
          <Button variant="default" onClick={() => setOpen("escalate")}>
            {text.escalate.name}
          </Button>
          <Button variant="default" onClick={() => setOpen("reassign")}>
            {text.reassign.name}
          </Button>
          {/* Resolving cannot be undone, so no other button ever takes this place. */}
          <Button
            variant={status === "triggered" ? "default" : "filled"}
            loading={resolve.isPending}
            onClick={() => void resolve.run(undefined)}
          >
            {text.resolve.name}
          </Button>
        </>
      )}
      {/* The dialog stays open with the typed text when the incident is resolved meanwhile, and says so. */}
      {open === null ? null : <AssignModal incident={incident} action={open} onClose={() => setOpen(null)} />}
    </>
  );
}
