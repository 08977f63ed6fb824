import { Alert, Button, Group, Modal, Stack, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { agentSetUp } from "../../strings/en/agent-set-up.ts";
import { common } from "../../strings/en/common.ts";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { PoolField } from "./pool-field.tsx";
import { AGENT_READS } from "./refreshes.ts";
import { SetUpAgent } from "./set-up-agent.tsx";
import type { Enrolment } from "./set-up-agent.tsx";

const text = agentSetUp.create;

interface Created {
  agent: AgentView;
  /** Null when no code could be created: the next page offers it again. */
  enrolment: Enrolment | null;
}

/** Creates an agent, shows the command that installs it, and waits until the agent runs. */
export function CreateAgent({ poolId = "", onClose }: { poolId?: string; onClose: () => void }) {
  const [created, setCreated] = useState<Created | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={created === null ? text.title : agentSetUp.install.title(created.agent.name)}
      size={created === null ? "md" : "xl"}
      // A stray click must not close a dialog with a command that is in use.
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
    >
      {created === null ? (
        <Form poolId={poolId} onCreated={setCreated} onClose={onClose} />
      ) : (
        <SetUpAgent {...created}>
          <Group justify="flex-end">
            <Button variant="default" component={Link} href={`/agents/${created.agent.id}`} onClick={onClose}>
              {text.open}
            </Button>
          </Group>
        </SetUpAgent>
      )}
    </Modal>
  );
}

interface FormProps {
  poolId: string;
  onCreated: (created: Created) => void;
  onClose: () => void;
}

function Form({ poolId, onCreated, onClose }: FormProps) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [pool, setPool] = useState(poolId);
  const create = useAction(
    async (body: { name: string; description: string | null; poolId: string | null }, options) => {
      // The answer also has a key, which the enrolment replaces. The code is passed on here and not returned: the query
      // cache keeps an action's result for a while.
      const { agent } = await call("POST", "/api/v1/automation/agents", { body }, options);
      const path = { id: agent.id };
      const enrolment = await call("POST", "/api/v1/automation/agents/{id}/enrolment", { path }).catch(() => null);
      onCreated({ agent, enrolment });
    },
    { refreshes: AGENT_READS },
  );
  const errors = useFieldErrors(create.error, { name, description, poolId: pool });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      name,
      description: description.trim() === "" ? null : description,
      poolId: pool.trim() === "" ? null : pool.trim(),
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label={common.name}
          description={text.nameHelp}
          placeholder={text.exampleName}
          required
          maxLength={200}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={errors.of("name")}
        />
        <Textarea
          label={common.description}
          placeholder={text.exampleDescription}
          autosize
          maxRows={4}
          maxLength={2_000}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={errors.of("description")}
        />
        <PoolField value={pool} onChange={setPool} error={errors.of("poolId")} />
        {errors.rest === null ? null : (
          <Alert color="red" role="alert" title={notDone(text.failed, create.error)}>
            <ProblemText error={errors.rest} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {common.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
