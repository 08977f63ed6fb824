import { Text } from "@mantine/core";
import { useState } from "react";
import type { UserView } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useSecretAction } from "../../../api/use-secret-action.ts";
import { settings } from "../../../strings/en/settings.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { NewPassword } from "../../../ui/new-password.tsx";
import { judgePassword } from "../../../ui/password-rules.ts";
import { toastSuccess } from "../../../ui/toast.tsx";
import { KeepTokens } from "../keep-tokens.tsx";
import { USER_READS } from "./use-user-changes.ts";

const text = settings.resetPassword;

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
    toastSuccess(text.done(user.name));
    close();
  };
  const errors = useFieldErrors(reset.error, { password });
  return (
    <DialogForm
      title={text.title(user.email)}
      submitLabel={text.submit}
      close={close}
      submit={submit}
      isPending={reset.isPending}
      error={errors.rest}
    >
      <Text size="sm">{text.intro}</Text>
      <NewPassword
        label={settings.newPassword}
        value={password}
        onChange={setPassword}
        refusal={errors.of("password")}
        wasSent={wasSent}
        canGenerate
      />
      <KeepTokens owner={user} onChange={setKeepTokens} />
    </DialogForm>
  );
}
