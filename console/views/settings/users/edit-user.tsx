import { Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import type { UserView } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useAction } from "../../../api/queries.ts";
import { useMe } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { toastSuccess } from "../../../ui/toast.tsx";
import { KeepTokens } from "../keep-tokens.tsx";
import { RoleSelect } from "./role-select.tsx";
import { USER_READS } from "./use-user-changes.ts";

const text = settings.editUser;

/** Changes name, role and status of an account. Sends only the changed fields: others may change the rest meanwhile. */
export function EditUser({ user, close }: { user: UserView; close: () => void }) {
  const isMe = useMe().user?.id === user.id;
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState(user.role);
  const [enabled, setEnabled] = useState(user.enabled);
  const [keepTokens, setKeepTokens] = useState(false);
  const change = useAction(
    (body: Partial<Pick<UserView, "name" | "role" | "enabled">> & { keepTokens?: boolean }) =>
      call("PATCH", "/api/v1/automation/users/{id}", { path: { id: user.id }, body }),
    {
      refreshes: USER_READS,
      onDone: (changed) => {
        toastSuccess(settings.users.changed(changed.name));
        close();
      },
    },
  );
  const isDisabling = user.enabled && !enabled;
  const submit = () => {
    if (name.trim() === "") return;
    const changes = {
      ...(name.trim() === user.name ? {} : { name: name.trim() }),
      ...(role === user.role ? {} : { role }),
      ...(enabled === user.enabled ? {} : { enabled }),
      ...(isDisabling ? { keepTokens } : {}),
    };
    if (Object.keys(changes).length === 0) close();
    else change.mutate(changes);
  };
  const errors = useFieldErrors(change.error, { name, role });
  return (
    <DialogForm
      title={text.title(user.email)}
      submitLabel={common.save}
      close={close}
      submit={submit}
      isPending={change.isPending}
      error={errors.rest}
    >
      <TextInput
        label={common.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={name.trim() === "" ? common.required : errors.of("name")}
        data-autofocus
      />
      <RoleSelect value={role} onChange={setRole} error={errors.of("role")} />
      <Switch
        label={settings.enabled}
        description={isMe ? text.notYourself : text.effect}
        checked={enabled}
        disabled={isMe}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
      {isDisabling ? <KeepTokens owner={user} onChange={setKeepTokens} /> : null}
    </DialogForm>
  );
}
