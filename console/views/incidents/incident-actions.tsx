import { Button } from "@mantine/core";
import { useState } from "react";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { call } from "../../api/client.ts";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { AssignModal } from "./assign-modal.tsx";
import { INCIDENT_READS } from "./refreshes.ts";

/** What can be done with an incident as it is: a resolved one is over. */
export function IncidentActions({ incident }: { incident: IncidentView }) {
  const { id, status, revision } = incident;
  const [open, setOpen] = useState<"escalate" | "reassign" | null>(null);
  const acknowledge = useToastMutation(
    () => call("POST", "/api/v1/automation/incidents/{id}/acknowledge", { path: { id } }, { ifMatch: revision }),
    { done: () => "The incident is acknowledged.", failed: "It was not acknowledged", refreshes: INCIDENT_READS },
  );
  const resolve = useToastMutation(
    () => call("POST", "/api/v1/automation/incidents/{id}/resolve", { path: { id } }, { ifMatch: revision }),
    { done: () => "The incident is resolved.", failed: "It was not resolved", refreshes: INCIDENT_READS },
  );
  return (
    <>
      {status === "resolved" ? null : (
        <>
          {status === "triggered" ? (
            <Button loading={acknowledge.isPending} onClick={() => void acknowledge.run(undefined)}>
              Acknowledge
            </Button>
          ) : null}
          <Button variant="default" onClick={() => setOpen("escalate")}>
            Escalate
          </Button>
          <Button variant="default" onClick={() => setOpen("reassign")}>
            Reassign
          </Button>
          {/* It cannot be taken back, so it stands where nothing else ever does: not where Acknowledge was a moment ago. */}
          <Button
            variant={status === "triggered" ? "default" : "filled"}
            loading={resolve.isPending}
            onClick={() => void resolve.run(undefined)}
          >
            Resolve
          </Button>
        </>
      )}
      {/* What somebody types stays, though the incident is over meanwhile: the dialog says so. */}
      {open === null ? null : <AssignModal incident={incident} action={open} onClose={() => setOpen(null)} />}
    </>
  );
}
