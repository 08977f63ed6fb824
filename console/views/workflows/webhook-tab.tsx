import { Alert, Button, List, Stack, Text, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { confirm } from "../../ui/confirm.tsx";
import { Copyable, SecretOnce } from "../../ui/copy.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { webhookCurl } from "./curl.ts";
import { SHOWS_WORKFLOWS, useToastRefused } from "./mutations.ts";
import { sampleVariables } from "../../workflow-forms/sample-variables.ts";
import { whyWebhookAnswers404 } from "./webhook-reasons.ts";

interface WebhookSecret {
  webhookKey: string;
  secret: string;
  url: string;
}

/** The URL that starts this workflow, its key and secret, and an example call. */
export function WebhookTab({
  workflow,
  live,
}: {
  workflow: WorkflowView;
  live: WorkflowVersionView | null | undefined;
}) {
  const { created, create } = useKeyCreation(workflow);
  const mayWrite = useCan("automation:write");
  const { webhookKey } = workflow;
  const reasons = whyWebhookAnswers404(workflow, live);
  const button = mayWrite && workflow.trigger.type === "webhook" ? create : null;

  if (webhookKey === null && created === null) {
    return (
      <EmptyState
        title="This webhook has no key yet"
        action={
          button === null ? null : (
            <Button leftSection={<IconKey size={16} aria-hidden />} loading={button.pending} onClick={button.ask}>
              Generate key
            </Button>
          )
        }
      >
        The key is part of the webhook&apos;s URL, and comes with a secret that callers send. Without a key, the webhook
        cannot start this workflow.
      </EmptyState>
    );
  }
  // The new key's answer arrives before the workflow is read again.
  const shown = created !== null && (webhookKey === null || created.webhookKey === webhookKey) ? created : null;
  const url = shown?.url ?? `${location.origin}/api/v1/automation/webhooks/${webhookKey ?? ""}`;
  const definition = live?.trigger.type === "webhook" ? live.definition : workflow.definition;
  const body = { variables: sampleVariables(definition) };

  return (
    <Stack gap="lg" maw={860}>
      {reasons.length === 0 ? null : (
        <Alert color="yellow" title="The webhook answers 404 for now">
          <List size="sm">
            {reasons.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {shown === null ? null : (
        <SecretOnce title="The webhook's secret" value={shown.secret}>
          The secret is shown only once, until you leave this tab. Store it safely. If you lose it, generate another
          key.
        </SecretOnce>
      )}
      <Part title="URL">
        <Copyable label="Webhook URL" value={url} />
      </Part>
      <Part title="Try it">
        <Copyable
          label="Command that calls the webhook"
          value={webhookCurl({ url, secret: shown?.secret ?? null, body })}
        />
        <Text size="sm" c="dimmed">
          {shown === null ? "Replace YOUR_WEBHOOK_SECRET with your secret. " : null}
          {Object.keys(body.variables).length === 0
            ? "The workflow uses no variables of the webhook."
            : "These are the variables that the workflow uses, with example values."}
        </Text>
      </Part>
      <Part title="Details">
        <List size="sm" spacing={4}>
          <List.Item>A 200 means that the event is stored and starts one run.</List.Item>
          <List.Item>At most 60 calls a minute. Above that: 429 with Retry-After.</List.Item>
          <List.Item>
            The same body within five minutes does not start another run: the answer names the first one. With the
            header X-Idempotency-Key, the key is compared instead of the body.
          </List.Item>
        </List>
      </Part>
      {button === null ? null : (
        <Part title="New key">
          <Text size="sm">
            A new key replaces the URL and the secret. Calls to the old URL are refused immediately.
          </Text>
          <Button variant="outline" color="red" w="fit-content" loading={button.pending} onClick={button.ask}>
            Regenerate key
          </Button>
        </Part>
      )}
      {mayWrite && button === null ? (
        <Text size="sm" c="dimmed">
          The draft has another trigger than a webhook, so a new key cannot be generated.
        </Text>
      ) : null}
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** Creates keys. Only this component has the secret, and it is lost when the component unmounts. */
function useKeyCreation(workflow: WorkflowView) {
  const [created, setCreated] = useState<WebhookSecret | null>(null);
  const toastRefused = useToastRefused();
  const action = useAction(
    async (id: string, { idempotencyKey }) => {
      const path = "/api/v1/automation/workflows/{id}/webhook-key";
      const { webhookKey, webhookSecret, url } = await call("POST", path, { path: { id } }, { idempotencyKey });
      // The secret is set here and not returned: the query cache keeps an action's result for a while.
      setCreated({ webhookKey, secret: webhookSecret, url });
    },
    { refreshes: SHOWS_WORKFLOWS },
  );
  const ask = async () => {
    const sure = workflow.webhookKey === null || (await confirm(REPLACE));
    if (sure) action.mutate(workflow.id, { onError: (error) => toastRefused("The key was not generated", error) });
  };
  return { created, create: { pending: action.isPending, ask: () => void ask() } };
}

const REPLACE = {
  title: "Replace the webhook's key?",
  body: "The current URL and secret stop working immediately. Calls with them are refused and not stored, so be ready to update every caller.",
  confirmLabel: "Replace key",
  keepLabel: "Keep key",
  danger: true,
};
