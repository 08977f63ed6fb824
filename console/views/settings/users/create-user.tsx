import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { Role } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useSecretAction } from "../../../api/use-secret-action.ts";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { NewPassword } from "../../../ui/new-password.tsx";
import { toastSuccess } from "../../../ui/toast.tsx";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { RoleSelect } from "./role-select.tsx";
import { USER_READS } from "./use-user-changes.ts";

const text = settings.createUser;

/** Creates a user. A user without a password can sign in only with the organisation. */
export function CreateUser({ byOrganisation, close }: { byOrganisation: boolean; close: () => void }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const [password, setPassword] = useState("");
  const [wasSent, setWasSent] = useState(false);
  const create = useSecretAction(
    (body: { name: string; email: string; role: Role; password?: string }, { idempotencyKey }) =>
      call("POST", "/api/v1/automation/users", { body }, { idempotencyKey }),
    { refreshes: USER_READS },
  );
  const errors = useFieldErrors(create.error, { name, email, role, password });
  const submit = async () => {
    setWasSent(true);
    const body = {
      name: name.trim(),
      email: email.trim(),
      role,
      ...(password === "" && byOrganisation ? {} : { password }),
    };
    const created = await create.perform(body);
    if (created === null) return;
    toastSuccess(text.done(created.result.name));
    close();
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
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={errors.of("name")}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label={common.email}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={errors.of("email")}
        autoComplete="off"
      />
      <RoleSelect value={role} onChange={setRole} error={errors.of("role")} />
      <NewPassword
        label={byOrganisation ? text.passwordOrOrganisation : common.password}
        value={password}
        onChange={setPassword}
        refusal={errors.of("password")}
        wasSent={wasSent}
        isOptional={byOrganisation}
        canGenerate
      />
    </DialogForm>
  );
}
