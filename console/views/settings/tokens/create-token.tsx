import { Checkbox, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Permission } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useSecretAction } from "../../../api/use-secret-action.ts";
import { useMe } from "../../../app/session.tsx";
import { fieldError } from "../../../ui/field-error.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { PERMISSIONS, PERMISSION_LABELS } from "../roles/permission-labels.ts";
import { EXPIRY_CHOICES, expiryOf } from "./expiry.ts";
import type { ExpiryChoice } from "./expiry.ts";
import { NewTokenSecret } from "./new-token-secret.tsx";

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
      title="New API token"
      submitLabel="Create token"
      close={close}
      submit={submit}
      isPending={create.isPending}
      error={create.error}
      fields={["name", "permissions", "expiresAt"]}
    >
      <TextInput
        label="Name"
        description="What will use this token?"
        placeholder="Nightly report"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={wasSent && name.trim() === "" ? "Required." : fieldError(create.error, "name")}
        data-autofocus
      />
      <Checkbox.Group
        label="Permissions"
        description="Select only the permissions that it needs."
        value={permissions}
        onChange={(chosen) => setPermissions(PERMISSIONS.filter((permission) => chosen.includes(permission)))}
        error={wasSent && permissions.length === 0 ? "Choose at least one." : fieldError(create.error, "permissions")}
      >
        <Stack gap={8} mt={6}>
          {PERMISSIONS.map((permission) => (
            <Checkbox
              key={permission}
              value={permission}
              label={permission}
              disabled={!mine.includes(permission)}
              description={
                mine.includes(permission)
                  ? PERMISSION_LABELS[permission]
                  : "You do not have this permission, so your token cannot have it."
              }
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label="Expires"
        data={EXPIRY_CHOICES}
        value={choice}
        onChange={(chosen) => setChoice(EXPIRY_CHOICES.find(({ value }) => value === chosen)?.value ?? choice)}
        allowDeselect={false}
        error={choice === "day" ? undefined : fieldError(create.error, "expiresAt")}
      />
      {choice === "day" ? (
        <TextInput
          label="Day"
          type="date"
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          error={
            wasSent && expiryOf(choice, day, Date.now()) === undefined
              ? "Choose a day in the future."
              : fieldError(create.error, "expiresAt")
          }
        />
      ) : null}
    </DialogForm>
  );
}
