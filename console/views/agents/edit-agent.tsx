import { Alert, Button, Group, Modal, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { isChangedMeanwhile } from "../../ui/conflict.ts";
import { fieldError } from "../../ui/field-error.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { useReadAgain } from "../../ui/use-read-again.ts";
import { PoolField } from "./pool-field.tsx";
import { AGENT_READS } from "./refreshes.ts";

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
        toastSuccess(`${saved.name} is saved.`);
        onClose();
      },
    },
  );
  const readAgain = useReadAgain(AGENT_READS);
  const isOvertaken = isChangedMeanwhile(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ revision: isOvertaken ? agent.revision : opened.revision }, { onError: () => void readAgain() });
  };
  return (
    <Modal opened onClose={onClose} title={`Edit ${opened.name}`}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldError(save.error, "name")}
          />
          <Textarea
            label="Description"
            autosize
            maxRows={4}
            maxLength={2_000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={fieldError(save.error, "description")}
          />
          <PoolField value={pool} onChange={setPool} error={fieldError(save.error, "poolId")} />
          {poolId === opened.poolId ? null : <MoveWarning from={opened.poolId} to={poolId} />}
          {save.error === null ? null : (
            <Alert color={isOvertaken ? "yellow" : "red"} role="alert" title={notDone("Nothing was saved", save.error)}>
              {isOvertaken ? (
                <Text size="sm">
                  Another person changed this agent after you opened it. It is now called {agent.name}, in{" "}
                  {agent.poolId === null ? "no pool" : `pool ${agent.poolId}`}. Save again to apply your changes.
                </Text>
              ) : (
                <ProblemText error={save.error} />
              )}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ""}>
              {isOvertaken ? "Save anyway" : "Save"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function MoveWarning({ from, to }: { from: string | null; to: string | null }) {
  return (
    <Alert color="yellow" title={to === null ? "The agent leaves its pool" : `The agent moves to pool ${to}`}>
      <Text size="sm">
        It registers again automatically. It cannot be moved while it has jobs: disable it and wait until they end.
        {from === null
          ? ""
          : ` Jobs of pool ${from} that it has not started move to the other agents there, and the credentials of that pool's connections are removed from its vault.`}
        {to === null ? "" : ` Deliver the credentials of pool ${to}'s connections to it afterwards.`}
      </Text>
    </Alert>
  );
}
