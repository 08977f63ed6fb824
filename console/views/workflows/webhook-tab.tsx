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
import { sampleVariables } from "./sample-variables.ts";
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
        The key is part of its address, and comes with a secret that callers send along. Without one, nothing can start
        this workflow by webhook.
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
        <Alert color="yellow" title="It answers 404 for now">
          <List size="sm">
            {reasons.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {shown === null ? null : (
        <SecretOnce title="The webhook's secret" value={shown.secret}>
          It is shown this once, and goes when you leave this panel. Keep it where you keep secrets; if it is lost, make
          another key.
        </SecretOnce>
      )}
      <Part title="Address">
        <Copyable label="Webhook address" value={url} />
      </Part>
      <Part title="Try it">
        <Copyable
          label="Command that calls the webhook"
          value={webhookCurl({ url, secret: shown?.secret ?? null, body })}
        />
        <Text size="sm" c="dimmed">
          {shown === null ? "Put your secret in place of YOUR_WEBHOOK_SECRET. " : null}
          {Object.keys(body.variables).length === 0
            ? "The workflow uses no variables of the webhook."
            : "The variables are those that the workflow uses; their values are examples."}
        </Text>
      </Part>
      <Part title="What to know">
        <List size="sm" spacing={4}>
          <List.Item>A 200 means that the event is on disk, and starts one execution.</List.Item>
          <List.Item>At most 60 calls a minute; further ones are answered 429 with when to come again.</List.Item>
          <List.Item>
            The same body within five minutes starts nothing new: the answer names the first execution. With a header
            X-Idempotency-Key that key decides instead of the body.
          </List.Item>
        </List>
      </Part>
      {button === null ? null : (
        <Part title="Another key">
          <Text size="sm">
            A new key replaces this one, its address and its secret. Whoever still calls the old address is refused from
            the next request on.
          </Text>
          <Button variant="outline" color="red" w="fit-content" loading={button.pending} onClick={button.ask}>
            Regenerate key
          </Button>
        </Part>
      )}
      {mayWrite && button === null ? (
        <Text size="sm" c="dimmed">
          The draft starts in another way than by webhook, so a new key cannot be made.
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
    if (sure) action.mutate(workflow.id, { onError: (error) => toastRefused("No key was made", error) });
  };
  return { created, create: { pending: action.isPending, ask: () => void ask() } };
}

const REPLACE = {
  title: "Replace the webhook's key?",
  body: "The address and the secret that are in use now stop working: whoever uses them is refused from the next request on, and nothing that they send is kept. Have the places at hand where the new ones must go.",
  confirmLabel: "Replace the key",
  danger: true,
};
