import { Alert, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { BEARER } from "../../../schema/contract/webhook-verification.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { webhookKeys as text } from "../../strings/en/webhook-keys.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { SHOWS_WORKFLOWS } from "./mutations.ts";
import { KINDS, kindOf, secretHint, verificationOf } from "./webhook-verification.ts";
import type { OwnSignature, VerificationKind } from "./webhook-verification.ts";

export interface CreatedKey {
  webhookKey: string;
  /** Null when the person entered it. */
  secret: string | null;
  url: string;
}

interface Props {
  workflow: Pick<WorkflowView, "id" | "webhookKey" | "webhook">;
  onCreated: (created: CreatedKey) => void;
  close: () => void;
}

const KEEPS = Object.keys(text.newSecret.keeps).toSorted((a, b) => Number(a) - Number(b));
const keepLabels: Readonly<Record<string, string>> = text.newSecret.keeps;

/** Creates a webhook key: how callers are verified, and the secret. */
export function WebhookKeyDialog({ workflow, onCreated, close }: Props) {
  const { verification = BEARER } = workflow.webhook ?? {};
  const [kind, setKind] = useState<VerificationKind>(kindOf(verification));
  const [own, setOwn] = useState<OwnSignature>(() => ({ ...EMPTY, ...verification }));
  const [secret, setSecret] = useState("");
  const isNew = workflow.webhookKey === null;
  const create = useAction(
    async (_input: null, { idempotencyKey }) => {
      const body = { verification: verificationOf(kind, own), ...(secret === "" ? {} : { secret }) };
      const path = "/api/v1/automation/workflows/{id}/webhook-key";
      const made = await call("POST", path, { path: { id: workflow.id }, body }, { idempotencyKey });
      // The secret is passed on here and not returned: the query cache keeps an action's result for a while.
      onCreated({ webhookKey: made.webhookKey, secret: made.webhookSecret, url: made.url });
    },
    { refreshes: SHOWS_WORKFLOWS },
  );
  const errors = useFieldErrors(create.error, { verification: verificationOf(kind, own), secret });
  return (
    <DialogForm
      title={isNew ? text.key.title : text.key.replaceTitle}
      submitLabel={isNew ? text.key.submit : text.key.replace}
      {...(isNew ? {} : { submitColor: "red" })}
      close={close}
      submit={() => create.mutate(null)}
      isPending={create.isPending}
      error={errors.rest}
    >
      {isNew ? null : <Text size="sm">{text.key.replaceHelp}</Text>}
      <NativeSelect
        label={text.verification}
        description={`${text.hints[kind]} ${text.risks[kind]}`}
        data={KINDS.map((value) => ({ value, label: text.kinds[value] }))}
        value={kind}
        error={kind === "generic" ? undefined : errors.of("verification")}
        onChange={(event) => {
          const next = KINDS.find((one) => one === event.currentTarget.value);
          if (next === undefined) return;
          setKind(next);
          setSecret("");
        }}
      />
      {kind === "address" ? (
        <Alert color="yellow" title={text.addressRisk.title}>
          {text.addressRisk.body}
        </Alert>
      ) : null}
      {kind === "generic" ? (
        <Stack gap="xs">
          <TextInput
            label={text.header}
            required
            value={own.header}
            error={errors.of("verification.header")}
            onChange={(event) => setOwn({ ...own, header: event.currentTarget.value })}
          />
          <Group grow align="flex-end">
            <NativeSelect
              label={text.encoding}
              data={(["hex", "base64"] as const).map((value) => ({ value, label: text.encodings[value] }))}
              value={own.encoding}
              onChange={(event) =>
                setOwn({ ...own, encoding: event.currentTarget.value === "base64" ? "base64" : "hex" })
              }
            />
            <TextInput
              label={text.prefix}
              description={text.prefixHint}
              value={own.prefix}
              error={errors.of("verification.prefix")}
              onChange={(event) => setOwn({ ...own, prefix: event.currentTarget.value })}
            />
          </Group>
        </Stack>
      ) : null}
      <SecretField kind={kind} value={secret} error={errors.of("secret")} onChange={setSecret} />
    </DialogForm>
  );
}

const EMPTY: OwnSignature = { header: "", encoding: "hex", prefix: "" };

/** Replaces the secret of a webhook key. */
export function WebhookSecretDialog({ workflow, onCreated, close }: Props) {
  const kind = kindOf(workflow.webhook?.verification ?? BEARER);
  const [secret, setSecret] = useState("");
  const [keep, setKeep] = useState("86400");
  const replace = useAction(
    async (_input: null, { idempotencyKey }) => {
      const body = { keepOldSeconds: Number(keep), ...(secret === "" ? {} : { secret }) };
      const path = "/api/v1/automation/workflows/{id}/webhook-secret";
      const made = await call("POST", path, { path: { id: workflow.id }, body }, { idempotencyKey });
      onCreated({ webhookKey: made.webhookKey, secret: made.webhookSecret, url: made.url });
    },
    { refreshes: SHOWS_WORKFLOWS },
  );
  const errors = useFieldErrors(replace.error, { secret });
  return (
    <DialogForm
      title={text.newSecret.title}
      submitLabel={text.newSecret.submit}
      close={close}
      submit={() => replace.mutate(null)}
      isPending={replace.isPending}
      error={errors.rest}
    >
      <Text size="sm">{text.newSecret.help}</Text>
      <NativeSelect
        label={text.newSecret.keep}
        data={KEEPS.map((value) => ({ value, label: keepLabels[value] ?? value }))}
        value={keep}
        onChange={(event) => setKeep(event.currentTarget.value)}
      />
      <SecretField kind={kind} value={secret} error={errors.of("secret")} onChange={setSecret} />
    </DialogForm>
  );
}

interface SecretFieldProps {
  kind: VerificationKind;
  value: string;
  error: string | null;
  onChange: (value: string) => void;
}

function SecretField({ kind, value, error, onChange }: SecretFieldProps) {
  const hint = secretHint(kind);
  if (hint === null) return null;
  return (
    <PasswordInput
      label={text.secret}
      description={`${hint} ${text.stored}`}
      autoComplete="off"
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
