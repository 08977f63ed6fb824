import { Alert, Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { IconAlertCircle, IconClock, IconLogin2 } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import type { FormEvent } from "react";
import { call } from "../../api/client.ts";
import { useSecretAction } from "../../api/use-secret-action.ts";
import { useHasEnded, useSignedIn } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { signIn as text } from "../../strings/en/sign-in.ts";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { failureMessage, issuerAddress, withoutFailure } from "./failures.ts";
import { signInMessage } from "./sign-in-messages.ts";

/** The sign-in by email and password, or with the organisation. The URL of the requested page stays. */
export function SignInForm({ oidc }: { oidc: boolean }) {
  const hasEnded = useHasEnded();
  const signedIn = useSignedIn();
  const [failure] = useState(() => failureMessage(location.search));
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isEmpty, setIsEmpty] = useState(false);
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const signIn = useSecretAction(async (body: { email: string; password: string }) => {
    await call("POST", "/api/v1/auth/login", { body });
    await signedIn();
  });
  const errors = useFieldErrors(signIn.error, { email, password });
  useEffect(() => emailField.current?.focus(), []);
  useEffect(() => {
    // The reason is shown once. A bookmark or the next page must not keep it in the URL.
    if (failure !== null) history.replaceState(history.state, "", withoutFailure(location));
  }, [failure]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsEmpty(email.trim() === "" || password === "");
    if (email.trim() === "" || password === "") return;
    if ((await signIn.perform({ email: email.trim(), password })) === null) passwordField.current?.focus();
  };
  const missing = (value: string) => (isEmpty && value.trim() === "" ? common.required : null);
  return (
    <Stack gap="md">
      {signIn.error !== null ? (
        <Alert color="red" icon={<IconAlertCircle aria-hidden />} role="alert">
          {signInMessage(signIn.error)}
        </Alert>
      ) : failure === null ? (
        hasEnded && (
          <Alert color="yellow" icon={<IconClock aria-hidden />} title={text.ended.title} role="status">
            {text.ended.next}
          </Alert>
        )
      ) : (
        <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={text.notSignedIn} role="alert">
          {failure}
        </Alert>
      )}
      <form onSubmit={submit} noValidate aria-label={text.signIn}>
        <Stack gap="sm">
          <TextInput
            ref={emailField}
            label={common.email}
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={errors.of("email") ?? missing(email)}
          />
          <PasswordInput
            ref={passwordField}
            label={common.password}
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={errors.of("password") ?? missing(password)}
          />
          <Button type="submit" loading={signIn.isPending} fullWidth>
            {text.signIn}
          </Button>
        </Stack>
      </form>
      {oidc ? (
        <>
          <Divider label={text.or} />
          <Button
            component="a"
            href={issuerAddress(withoutFailure(location))}
            variant="default"
            fullWidth
            leftSection={<IconLogin2 size={18} aria-hidden />}
          >
            {text.withOrganisation}
          </Button>
        </>
      ) : null}
    </Stack>
  );
}
