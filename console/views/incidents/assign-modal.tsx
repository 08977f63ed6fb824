import { Alert, Autocomplete, Button, Group, Modal, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { useMe } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { incidents } from "../../strings/en/incidents.ts";
import { isChangedMeanwhile } from "../../ui/conflict.ts";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { useReadAgain } from "../../ui/use-read-again.ts";
import { usePeople } from "../connections/usable-by/use-people.ts";
import { assignmentChange } from "./assignment.ts";
import { INCIDENT_READS } from "./refreshes.ts";

const text = incidents.assign;
const { actions, fields } = incidents;

interface AssignModalProps {
  /** The newest state of the incident. */
  incident: IncidentView;
  action: "escalate" | "reassign";
  onClose: () => void;
}

/** Assigns an incident to another team or person. Escalating also raises its level by one and takes a reason. */
export function AssignModal({ incident, action, onClose }: AssignModalProps) {
  const [opened] = useState(incident);
  const [teamId, setTeamId] = useState(incident.teamId ?? "");
  const [assignedTo, setAssignedTo] = useState(incident.assignedTo ?? "");
  const people = usePeople();
  const me = useMe().user?.email;
  const [reason, setReason] = useState("");
  const change = assignmentChange(opened, { teamId, assignedTo });
  const isEscalation = action === "escalate";
  const act = useAction(
    ({ revision }: { revision: number }, { idempotencyKey }) => {
      const path = { id: opened.id };
      if (!isEscalation) {
        return call(
          "POST",
          "/api/v1/automation/incidents/{id}/reassign",
          { path, body: change },
          { ifMatch: revision },
        );
      }
      const body = { ...change, ...(reason.trim() === "" ? {} : { reason }) };
      return call(
        "POST",
        "/api/v1/automation/incidents/{id}/escalate",
        { path, body },
        { ifMatch: revision, idempotencyKey },
      );
    },
    {
      refreshes: INCIDENT_READS,
      onDone: (after) => {
        toastSuccess(isEscalation ? actions.escalate.done(after.escalationLevel) : actions.reassign.done);
        onClose();
      },
    },
  );
  const errors = useFieldErrors(act.error, { teamId, assignedTo, reason });
  const readAgain = useReadAgain(INCIDENT_READS);
  const isOvertaken = isChangedMeanwhile(act.error);
  const isOver = incident.status === "resolved";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate({ revision: isOvertaken ? incident.revision : opened.revision }, { onError: () => void readAgain() });
  };
  const { name } = actions[action];
  return (
    <Modal opened onClose={onClose} title={text.title(name, opened.title)}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {isOver ? (
            <Alert color="yellow" role="alert" title={text.over.title}>
              {text.over.text}
            </Alert>
          ) : null}
          {isEscalation ? (
            <Text size="sm">{actions.escalate.effect(incident.escalationLevel + 1, incident.status)}</Text>
          ) : null}
          <TextInput
            label={fields.team}
            description={text.teamHelp}
            maxLength={500}
            value={teamId}
            onChange={(event) => setTeamId(event.currentTarget.value)}
            error={errors.of("teamId")}
          />
          <Group align="flex-end" gap="xs">
            <Autocomplete
              label={fields.assignedTo}
              description={text.assignedToHelp}
              maxLength={500}
              flex={1}
              data={[...people.byId.values()]}
              limit={20}
              value={assignedTo}
              onChange={setAssignedTo}
              error={errors.of("assignedTo")}
            />
            {me === undefined || assignedTo === me ? null : (
              <Button variant="default" onClick={() => setAssignedTo(me)}>
                {text.toMe}
              </Button>
            )}
          </Group>
          {isEscalation ? (
            <Textarea
              label={fields.reason}
              description={text.reasonHelp}
              autosize
              maxRows={6}
              maxLength={2_000}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
              error={errors.of("reason")}
            />
          ) : null}
          {errors.rest === null || isOver ? null : (
            <Alert color={isOvertaken ? "yellow" : "red"} role="alert" title={notDone(text.failed, act.error)}>
              {isOvertaken ? <Text size="sm">{text.overtaken(incident)}</Text> : <ProblemText error={errors.rest} />}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button
              type="submit"
              loading={act.isPending}
              disabled={isOver || (!isEscalation && Object.keys(change).length === 0)}
            >
              {isOvertaken ? actions.anyway(name) : name}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
