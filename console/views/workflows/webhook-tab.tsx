import { Alert, Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { common } from "../../strings/en/common.ts";
import { useCan } from "../../app/session.tsx";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { BEARER } from "../../../schema/contract/webhook-verification.ts";
import { WEBHOOK_REQUESTS_PER_WINDOW } from "../../../schema/limits.ts";
import { exactTime } from "../../strings/time.ts";
import { webhookKeys as keys } from "../../strings/en/webhook-keys.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import { Copyable, SecretOnce } from "../../ui/copy.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { SECRET_PLACEHOLDER, requestWith, webhookCurl } from "./curl.ts";
import { sampleVariables } from "../../workflow-forms/sample-variables.ts";
import { WebhookDeliveries, WebhookRate } from "./webhook-deliveries.tsx";
import { WebhookKeyDialog, WebhookSecretDialog } from "./webhook-key-dialog.tsx";
import type { CreatedKey } from "./webhook-key-dialog.tsx";
import { whyWebhookAnswers404 } from "./webhook-reasons.ts";
import { kindOf } from "./webhook-verification.ts";

const text = workflowTriggers.webhook;

/** The URL that starts this workflow, its key and secret, and an example call. */
export function WebhookTab({
  workflow,
  live,
}: {
  workflow: WorkflowView;
  live: WorkflowVersionView | null | undefined;
}) {
  // Only this component has the secret, and it is lost when the component unmounts.
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const [dialog, setDialog] = useState<"key" | "secret" | null>(null);
  const mayWrite = useCan("automation:write");
  const { webhookKey } = workflow;
  const reasons = whyWebhookAnswers404(workflow, live);
  const mayChange = mayWrite && workflow.trigger.type === "webhook";
  const props = {
    workflow,
    close: () => setDialog(null),
    onCreated: (key: CreatedKey) => {
      setCreated(key);
      setDialog(null);
    },
  };
  const dialogs = (
    <>
      {dialog === "key" ? <WebhookKeyDialog {...props} /> : null}
      {dialog === "secret" ? <WebhookSecretDialog {...props} /> : null}
    </>
  );

  if (webhookKey === null && created === null) {
    return (
      <>
        <EmptyState
          title={text.noKey.title}
          action={
            mayChange ? (
              <Button leftSection={<IconKey size={16} aria-hidden />} onClick={() => setDialog("key")}>
                {text.generate}
              </Button>
            ) : null
          }
        >
          {text.noKey.help}
        </EmptyState>
        {dialogs}
      </>
    );
  }
  // The new key's answer arrives before the workflow is read again.
  const shown = created !== null && (webhookKey === null || created.webhookKey === webhookKey) ? created : null;
  const url = shown?.url ?? `${location.origin}/api/v1/automation/webhooks/${webhookKey ?? ""}`;
  const { trigger, definition } = live?.trigger.type === "webhook" ? live : workflow;
  const variables = sampleVariables(definition);
  const request = requestWith(trigger, variables);
  const { verification = BEARER, oldSecretUntil = null } = workflow.webhook ?? {};

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
      {shown === null ? null : <NewSecret created={shown} />}
      <Part title={text.url}>
        <Copyable label={text.urlLabel} value={url} />
        <Text size="sm">
          {keys.verification}: {keys.kinds[kindOf(verification)]}.{" "}
          {oldSecretUntil === null ? null : keys.newSecret.oldUntil(exactTime(oldSecretUntil))}
        </Text>
      </Part>
      <Part title={text.tryIt}>
        {verification.type === "hmac" ? (
          <Text size="sm">{keys.signed}</Text>
        ) : (
          <>
            <Copyable
              label={text.command}
              value={webhookCurl({ url, by: verification.type, secret: shown?.secret ?? null, ...request })}
            />
            <Text size="sm" c="dimmed">
              {shown === null ? text.replaceSecret(SECRET_PLACEHOLDER) : null}{" "}
              {Object.keys(variables).length === 0 ? text.noVariables : text.variables}
            </Text>
          </>
        )}
      </Part>
      <Part title={keys.deliveries.title}>
        <WebhookDeliveries workflowId={workflow.id} />
      </Part>
      <Part title={common.details}>
        <List size="sm" spacing={4}>
          {text.details(workflow.webhook?.requestsPerMinute ?? WEBHOOK_REQUESTS_PER_WINDOW).map((detail) => (
            <List.Item key={detail}>{detail}</List.Item>
          ))}
        </List>
      </Part>
      {mayWrite ? <WebhookRate key={workflow.webhook?.requestsPerMinute} workflow={workflow} /> : null}
      {mayWrite ? (
        <Part title={text.newKey.title}>
          <Text size="sm">{mayChange ? text.newKey.help : text.newKey.impossible}</Text>
          <Group gap="sm">
            <Button variant="default" onClick={() => setDialog("secret")}>
              {text.newKey.secret}
            </Button>
            {mayChange ? (
              <Button variant="outline" color="red" onClick={() => setDialog("key")}>
                {text.newKey.button}
              </Button>
            ) : null}
          </Group>
        </Part>
      ) : null}
      {dialogs}
    </Stack>
  );
}

function NewSecret({ created: { secret } }: { created: CreatedKey }) {
  if (secret === null) return <Alert color="teal">{keys.given}</Alert>;
  return (
    <SecretOnce title={text.secret.title} value={secret}>
      {text.secret.help}
    </SecretOnce>
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
