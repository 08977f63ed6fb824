import "../../../api/zod-config.ts";
import { Button, Checkbox, Code, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { permissionSchema } from "../../../../schema/contract/people.ts";
import type { Permission } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useSecretAction } from "../../../api/use-secret-action.ts";
import { useMe } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { Copyable, SecretOnce } from "../../../ui/copy.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { EXPIRY_CHOICES, expiryOf } from "./expiry.ts";
import type { ExpiryChoice } from "./expiry.ts";

const text = settings.createToken;
const PERMISSIONS = permissionSchema.options;

/** Creates a token. The console shows its secret once and does not keep it. */
export function CreateToken({ close }: { close: () => void }) {
  const mine = useMe().permissions;
  const [name, setName] = useState("");
  const [permissions, setPermissions] = useState<Permission[]>([]);
  const [choice, setChoice] = useState<ExpiryChoice>("90");
  const [day, setDay] = useState("");
  const [wasSent, setWasSent] = useState(false);
  const [created, setCreated] = useState<{ name: string; secret: string } | null>(null);
  const create = useSecretAction(
    (body: { name: string; permissions: Permission[]; expiresAt?: string }, { idempotencyKey }) =>
      call("POST", "/api/v1/auth/tokens", { body }, { idempotencyKey }),
    { refreshes: ["/api/v1/auth/tokens"] },
  );
  const errors = useFieldErrors(create.error, { name, permissions, expiresAt: [choice, day] });
  if (created !== null) return <NewTokenSecret name={created.name} secret={created.secret} close={close} />;

  const submit = async () => {
    setWasSent(true);
    const expiresAt = expiryOf(choice, day, Date.now());
    if (name.trim() === "" || permissions.length === 0 || expiresAt === undefined) return;
    const body = { name: name.trim(), permissions, ...(expiresAt === null ? {} : { expiresAt }) };
    const answer = await create.perform(body);
    if (answer !== null) setCreated({ name: answer.result.token.name, secret: answer.result.secret });
  };
  return (
    <DialogForm
      title={text.title}
      submitLabel={text.submit}
      close={close}
      submit={submit}
      isPending={create.isPending}
      error={errors.rest}
    >
      <TextInput
        label={common.name}
        description={text.nameHelp}
        placeholder={text.namePlaceholder}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={wasSent && name.trim() === "" ? common.required : errors.of("name")}
        data-autofocus
      />
      <Checkbox.Group
        label={settings.permissions}
        description={text.permissionsHelp}
        value={permissions}
        onChange={(chosen) => setPermissions(PERMISSIONS.filter((permission) => chosen.includes(permission)))}
        error={wasSent && permissions.length === 0 ? text.choosePermission : errors.of("permissions")}
      >
        <Stack gap={8} mt={6}>
          {PERMISSIONS.map((permission) => (
            <Checkbox
              key={permission}
              value={permission}
              label={permission}
              disabled={!mine.includes(permission)}
              description={mine.includes(permission) ? settings.allows[permission] : text.notYours}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label={settings.tokens.expires}
        data={EXPIRY_CHOICES.map((value) => ({ value, label: text.expiries[value] }))}
        value={choice}
        onChange={(chosen) => setChoice(EXPIRY_CHOICES.find((value) => value === chosen) ?? choice)}
        allowDeselect={false}
        error={choice === "day" ? undefined : errors.of("expiresAt")}
      />
      {choice === "day" ? (
        <TextInput
          label={text.date}
          type="date"
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          error={wasSent && expiryOf(choice, day, Date.now()) === undefined ? text.futureDate : errors.of("expiresAt")}
        />
      ) : null}
    </DialogForm>
  );
}

/** Shows the secret once. A click outside the dialog or a key does not close it. */
function NewTokenSecret({ name, secret, close }: { name: string; secret: string; close: () => void }) {
  return (
    <Modal
      opened
      onClose={close}
      title={settings.newToken.title(name)}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <SecretOnce title={settings.newToken.secret} value={secret} />
        <div>
          <Text size="sm" mb={4}>
            {settings.newToken.usage(<Code>BELLHOP_TOKEN</Code>)}
          </Text>
          <Copyable
            label={settings.newToken.example}
            value={`curl -H "Authorization: Bearer $BELLHOP_TOKEN" ${location.origin}/api/v1/auth/me`}
          />
        </div>
        <Group justify="flex-end">
          <Button onClick={close}>{settings.newToken.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
