import { Alert, Button, Group, Modal, Radio, Stack, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import type { IntegrationKind, IntegrationView } from "../../../schema/contract/integration.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { common } from "../../strings/en/common.ts";
import { integrations } from "../../strings/en/integrations.ts";
import { Copyable, SecretOnce } from "../../ui/copy.tsx";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { KIND_NAMES } from "./kinds.ts";
import { sourceConfig } from "./source-config.ts";
import { TestEvent } from "./test-event.tsx";

const { create: text, kinds } = integrations;

interface CreatedIntegration {
  integration: IntegrationView;
  url: string;
}

/** Creates an integration, shows its URL once with the configuration for the source, and offers a test event. */
export function CreateIntegration({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedIntegration | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      size={created === null ? "md" : "xl"}
      title={created === null ? integrations.list.create : created.integration.name}
      // The URL is shown once, so a stray click must not close the dialog.
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
    >
      {created === null ? (
        <Form onCreated={setCreated} onClose={onClose} />
      ) : (
        <Setup created={created} onClose={onClose} />
      )}
    </Modal>
  );
}

function Form({ onCreated, onClose }: { onCreated: (created: CreatedIntegration) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<IntegrationKind>("alertmanager");
  const create = useAction(
    async (body: { name: string; kind: IntegrationKind }, options) => {
      // The key is passed on here and not returned: the query cache keeps an action's result for a while.
      onCreated(await call("POST", "/api/v1/automation/integrations", { body }, options));
    },
    { refreshes: ["/api/v1/automation/integrations"] },
  );
  const errors = useFieldErrors(create.error, { name });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ name, kind });
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
        <Radio.Group
          label={text.kind}
          value={kind}
          onChange={(value) => setKind(KIND_NAMES.find((one) => one === value) ?? "alertmanager")}
        >
          <Stack gap="xs" mt={4}>
            {KIND_NAMES.map((one) => (
              <Radio key={one} value={one} label={kinds[one].label} description={kinds[one].what} />
            ))}
          </Stack>
        </Radio.Group>
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

interface SetupProps {
  created: CreatedIntegration;
  onClose: () => void;
}
function Setup({ created: { integration, url }, onClose }: SetupProps) {
  return (
    <Stack gap="md">
      <SecretOnce title={text.url} value={url}>
        {text.urlOnce}
      </SecretOnce>
      {sourceConfig(integration.kind, url).map(({ title, text }) => (
        <Stack key={title} gap={4}>
          <Title order={3} size="h6">
            {title}
          </Title>
          <Copyable label={title} value={text} />
        </Stack>
      ))}
      <Title order={3} size="h6">
        {common.test}
      </Title>
      <TestEvent kind={integration.kind} url={url} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {text.urlSaved}
        </Button>
      </Group>
    </Stack>
  );
}
