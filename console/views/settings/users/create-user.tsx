import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { Role } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useSecretAction } from "../../../api/use-secret-action.ts";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { fieldError } from "../../../ui/field-error.ts";
import { NewPassword } from "../../../ui/new-password.tsx";
import { judgePassword } from "../../../ui/password-rules.ts";
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
  const isPasswordWrong = !(password === "" && byOrganisation) && !judgePassword(password).ok;
  const submit = async () => {
    setWasSent(true);
    if (name.trim() === "" || email.trim() === "" || isPasswordWrong) return;
    const body = { name: name.trim(), email: email.trim(), role, ...(password === "" ? {} : { password }) };
    const created = await create.perform(body);
    if (created === null) return;
    toastSuccess(text.done(created.result.name));
    close();
  };
  const missing = (value: string) => (wasSent && value.trim() === "" ? common.required : null);
  return (
    <DialogForm
      title={text.title}
      submitLabel={text.submit}
      close={close}
      submit={submit}
      isPending={create.isPending}
      error={create.error}
      fields={["name", "email", "role", "password"]}
    >
      <TextInput
        label={common.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={missing(name) ?? fieldError(create.error, "name")}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label={common.email}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={missing(email) ?? fieldError(create.error, "email")}
        autoComplete="off"
      />
      <RoleSelect value={role} onChange={setRole} error={fieldError(create.error, "role")} />
      <NewPassword
        label={byOrganisation ? text.passwordOrOrganisation : common.password}
        value={password}
        onChange={setPassword}
        refusal={fieldError(create.error, "password")}
        wasSent={wasSent}
        isOptional={byOrganisation}
        canGenerate
      />
    </DialogForm>
  );
}
