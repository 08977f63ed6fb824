import { Alert, Button, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import type { UserView } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { useSecretAction } from "../../../api/use-secret-action.ts";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { NewPassword } from "../../../ui/new-password.tsx";
import { judgePassword } from "../../../ui/password-rules.ts";
import { ProblemText } from "../../../ui/states.tsx";
import { toastSuccess } from "../../../ui/toast.tsx";
import { KeepTokens } from "../keep-tokens.tsx";

const text = settings.account;

/** Changes the user's own password. Asks for the current one, so that an open session is not enough to take over. */
export function ChangePassword({ user }: { user: UserView | null }) {
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNew] = useState("");
  const [wasSent, setWasSent] = useState(false);
  const [keepTokens, setKeepTokens] = useState(false);
  const change = useSecretAction(
    (body: { currentPassword: string; newPassword: string; keepTokens: boolean }) =>
      call("POST", "/api/v1/auth/password", { body }),
    { refreshes: ["/api/v1/auth/tokens"] },
  );
  const errors = useFieldErrors(change.error, { currentPassword, newPassword });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (currentPassword === "" || !judgePassword(newPassword).ok) return;
    if ((await change.perform({ currentPassword, newPassword, keepTokens })) === null) return;
    setCurrent("");
    setNew("");
    setWasSent(false);
    toastSuccess(text.changed);
  };
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {common.password}
        </Title>
        {user === null || !user.hasPassword ? (
          <Text size="sm">{text.noPassword}</Text>
        ) : (
          <form onSubmit={submit} noValidate aria-label={text.passwordForm}>
            <Stack gap="sm" maw={420}>
              {/* Password managers need the account's name. */}
              <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
              <PasswordInput
                label={text.currentPassword}
                name="current-password"
                autoComplete="current-password"
                value={currentPassword}
                onChange={(event) => setCurrent(event.currentTarget.value)}
                error={wasSent && currentPassword === "" ? common.required : errors.of("currentPassword")}
              />
              <NewPassword
                label={settings.newPassword}
                value={newPassword}
                onChange={setNew}
                refusal={errors.of("newPassword")}
                wasSent={wasSent}
              />
              {errors.rest === null ? null : (
                <Alert color="red" role="alert" title={text.notChanged}>
                  <ProblemText error={errors.rest} />
                </Alert>
              )}
              <KeepTokens owner="me" onChange={setKeepTokens} />
              <Text size="sm" c="dimmed">
                {text.otherSessions}
              </Text>
              <Button type="submit" loading={change.isPending} style={{ alignSelf: "flex-start" }}>
                {text.change}
              </Button>
            </Stack>
          </form>
        )}
      </Stack>
    </Paper>
  );
}
