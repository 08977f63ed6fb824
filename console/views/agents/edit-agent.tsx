import { Alert, Button, Group, List, Modal, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { isChangedMeanwhile } from "../../ui/conflict.ts";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { useReadAgain } from "../../ui/use-read-again.ts";
import { PoolField } from "./pool-field.tsx";
import { AGENT_READS } from "./refreshes.ts";

const text = agents.edit;

/** Changes the name, description or pool. `agent` is the newest state; typed text stays when another person saves. */
export function EditAgent({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  const [opened] = useState(agent);
  const [name, setName] = useState(agent.name);
  const [description, setDescription] = useState(agent.description ?? "");
  const [pool, setPool] = useState(agent.poolId ?? "");
  const poolId = pool.trim() === "" ? null : pool.trim();
  const save = useAction(
    ({ revision }: { revision: number }) =>
      call(
        "PATCH",
        "/api/v1/automation/agents/{id}",
        {
          path: { id: agent.id },
          // Only the fields that were changed here: another person may have changed the others meanwhile.
          body: {
            ...(name === opened.name ? {} : { name }),
            ...(description === (opened.description ?? "")
              ? {}
              : { description: description === "" ? null : description }),
            ...(poolId === opened.poolId ? {} : { poolId }),
          },
        },
        { ifMatch: revision },
      ),
    {
      refreshes: AGENT_READS,
      onDone: (saved) => {
        toastSuccess(text.saved(saved.name));
        onClose();
      },
    },
  );
  const errors = useFieldErrors(save.error, { name, description, poolId: pool });
  const readAgain = useReadAgain(AGENT_READS);
  const isOvertaken = isChangedMeanwhile(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ revision: isOvertaken ? agent.revision : opened.revision }, { onError: () => void readAgain() });
  };
  return (
    <Modal opened onClose={onClose} title={text.title(opened.name)}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label={common.name}
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.of("name")}
          />
          <Textarea
            label={common.description}
            autosize
            maxRows={4}
            maxLength={2_000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={errors.of("description")}
          />
          <PoolField value={pool} onChange={setPool} error={errors.of("poolId")} />
          {poolId === opened.poolId ? null : <MoveWarning from={opened.poolId} to={poolId} />}
          {errors.rest === null ? null : (
            <Alert color={isOvertaken ? "yellow" : "red"} role="alert" title={notDone(common.notSaved, save.error)}>
              {isOvertaken ? (
                <Text size="sm">{text.overtaken(agent.name, agent.poolId)}</Text>
              ) : (
                <ProblemText error={errors.rest} />
              )}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {isOvertaken ? text.saveAnyway : common.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function MoveWarning({ from, to }: { from: string | null; to: string | null }) {
  return (
    <Alert color="yellow" title={text.move.title(to)}>
      <List size="sm">
        <List.Item>{text.move.whenIdle}</List.Item>
        {from === null ? null : <List.Item>{text.move.from(from)}</List.Item>}
        {to === null ? null : <List.Item>{text.move.to(to)}</List.Item>}
      </List>
    </Alert>
  );
}
