import { Alert, Button, Group, Modal, Stack, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { fieldError } from "../../ui/field-error.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { NewAgent } from "./new-agent.tsx";
import { PoolField } from "./pool-field.tsx";

/** Creates an agent, shows its key once, and waits until the agent runs. */
export function CreateAgent({ poolId = "", onClose }: { poolId?: string; onClose: () => void }) {
  const [created, setCreated] = useState<{ agent: AgentView; apiKey: string } | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={created === null ? "Create an agent" : `Install ${created.agent.name}`}
      size={created === null ? "md" : "xl"}
      // The key is shown once: a stray click must not take it away.
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {created === null ? (
        <Form poolId={poolId} onCreated={setCreated} onClose={onClose} />
      ) : (
        <NewAgent agent={created.agent} apiKey={created.apiKey} onClose={onClose} />
      )}
    </Modal>
  );
}

interface FormProps {
  poolId: string;
  onCreated: (created: { agent: AgentView; apiKey: string }) => void;
  onClose: () => void;
}

function Form({ poolId, onCreated, onClose }: FormProps) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [pool, setPool] = useState(poolId);
  const create = useAction(
    async (body: { name: string; description: string | null; poolId: string | null }, options) => {
      // The key is passed on here and not returned: the query cache keeps an action's result for a while.
      onCreated(await call("POST", "/api/v1/automation/agents", { body }, options));
    },
    { refreshes: ["/api/v1/automation/agents", "/api/v1/automation/pools", "/api/v1/automation/pools/{id}"] },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      name,
      description: description.trim() === "" ? null : description,
      poolId: pool.trim() === "" ? null : pool.trim(),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="A name for people, often the machine's name."
          placeholder="web-1"
          required
          maxLength={200}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(create.error, "name")}
        />
        <Textarea
          label="Description"
          placeholder="Rack 3, restarts the shop"
          autosize
          maxRows={4}
          maxLength={2_000}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={fieldError(create.error, "description")}
        />
        <PoolField value={pool} onChange={setPool} error={fieldError(create.error, "poolId")} />
        {create.error === null ? null : (
          <Alert color="red" role="alert" title={notDone("The agent was not created", create.error)}>
            <ProblemText error={create.error} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
