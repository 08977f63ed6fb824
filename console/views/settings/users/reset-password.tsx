import { Text } from "@mantine/core";
import { useState } from "react";
import type { UserView } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useSecretAction } from "../../../api/use-secret-action.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { fieldError } from "../../../ui/field-error.ts";
import { NewPassword } from "../../../ui/new-password.tsx";
import { judgePassword } from "../../../ui/password-rules.ts";
import { toastSuccess } from "../../../ui/toast.tsx";
import { KeepTokens } from "../keep-tokens.tsx";
import { USER_READS } from "./use-user-changes.ts";

/** Sets a new password for a user who cannot sign in. The user can change it afterwards. */
export function ResetPassword({ user, close }: { user: UserView; close: () => void }) {
  const [password, setPassword] = useState("");
  const [wasSent, setWasSent] = useState(false);
  const [keepTokens, setKeepTokens] = useState(false);
  const reset = useSecretAction(
    (body: { password: string; keepTokens: boolean }) =>
      call("PATCH", "/api/v1/automation/users/{id}", { path: { id: user.id }, body }),
    { refreshes: USER_READS },
  );
  const submit = async () => {
    setWasSent(true);
    if (!judgePassword(password).ok || (await reset.perform({ password, keepTokens })) === null) return;
    toastSuccess(`${user.name} has a new password.`);
    close();
  };
  return (
    <DialogForm
      title={`A new password for ${user.email}`}
      submitLabel="Set the password"
      close={close}
      submit={submit}
      isPending={reset.isPending}
      error={reset.error}
      fields={["password"]}
    >
      <Text size="sm">
        Copy the password before you set it: it is not shown again. The user's sessions end. The user can change the
        password under Settings, Your account.
      </Text>
      <NewPassword
        label="New password"
        value={password}
        onChange={setPassword}
        refusal={fieldError(reset.error, "password")}
        wasSent={wasSent}
        canGenerate
      />
      <KeepTokens owner={user} onChange={setKeepTokens} />
    </DialogForm>
  );
}
