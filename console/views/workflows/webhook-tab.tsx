import { Alert, Button, List, Stack, Text, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { common } from "../../strings/en/common.ts";
import { useCan } from "../../app/session.tsx";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import { confirm } from "../../ui/confirm.tsx";
import { Copyable, SecretOnce } from "../../ui/copy.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { SECRET_PLACEHOLDER, requestWith, webhookCurl } from "./curl.ts";
import { SHOWS_WORKFLOWS, useToastRefused } from "./mutations.ts";
import { sampleVariables } from "../../workflow-forms/sample-variables.ts";
import { whyWebhookAnswers404 } from "./webhook-reasons.ts";

const text = workflowTriggers.webhook;

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
        title={text.noKey.title}
        action={
          button === null ? null : (
            <Button leftSection={<IconKey size={16} aria-hidden />} loading={button.pending} onClick={button.ask}>
              {text.generate}
            </Button>
          )
        }
      >
        {text.noKey.help}
      </EmptyState>
    );
  }
  // The new key's answer arrives before the workflow is read again.
  const shown = created !== null && (webhookKey === null || created.webhookKey === webhookKey) ? created : null;
  const url = shown?.url ?? `${location.origin}/api/v1/automation/webhooks/${webhookKey ?? ""}`;
  const { trigger, definition } = live?.trigger.type === "webhook" ? live : workflow;
  const variables = sampleVariables(definition);
  const request = requestWith(trigger, variables);

  return (
    <Stack gap="lg" maw={860}>
      {reasons.length === 0 ? null : (
        <Alert color="yellow" title={text.refused}>
          <List size="sm">
            {reasons.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {shown === null ? null : (
        <SecretOnce title={text.secret.title} value={shown.secret}>
          {text.secret.help}
        </SecretOnce>
      )}
      <Part title={text.url}>
        <Copyable label={text.urlLabel} value={url} />
      </Part>
      <Part title={text.tryIt}>
        <Copyable label={text.command} value={webhookCurl({ url, secret: shown?.secret ?? null, ...request })} />
        <Text size="sm" c="dimmed">
          {shown === null ? text.replaceSecret(SECRET_PLACEHOLDER) : null}{" "}
          {Object.keys(variables).length === 0 ? text.noVariables : text.variables}
        </Text>
      </Part>
      <Part title={common.details}>
        <List size="sm" spacing={4}>
          {text.details.map((detail) => (
            <List.Item key={detail}>{detail}</List.Item>
          ))}
        </List>
      </Part>
      {button === null ? null : (
        <Part title={text.newKey.title}>
          <Text size="sm">{text.newKey.help}</Text>
          <Button variant="outline" color="red" w="fit-content" loading={button.pending} onClick={button.ask}>
            {text.newKey.button}
          </Button>
        </Part>
      )}
      {mayWrite && button === null ? (
        <Text size="sm" c="dimmed">
          {text.newKey.impossible}
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
    if (sure) action.mutate(workflow.id, { onError: (error) => toastRefused(text.notGenerated, error) });
  };
  return { created, create: { pending: action.isPending, ask: () => void ask() } };
}

const REPLACE = {
  title: text.replaceKey.title,
  body: text.replaceKey.body,
  confirmLabel: text.replaceKey.confirm,
  keepLabel: text.replaceKey.keep,
  danger: true,
};
