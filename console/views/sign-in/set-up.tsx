import { Button, Code, List, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useSecretAction } from "../../api/use-secret-action.ts";
import { fieldError } from "../../ui/field-error.ts";
import { NewPassword } from "../../ui/new-password.tsx";
import { judgePassword } from "../../ui/password-rules.ts";
import { SetUpDone } from "./set-up-done.tsx";
import { SetUpFailure } from "./set-up-failure.tsx";

const NOTHING = { token: "", name: "", email: "", password: "" };
type Given = typeof NOTHING;

/** Creates the first administrator with the bootstrap token and signs in. Only this form keeps the token. */
export function SetUp({ onCreated }: { onCreated: () => void }) {
  const [given, setGiven] = useState(NOTHING);
  const [wasSent, setWasSent] = useState(false);
  const [isCreated, setIsCreated] = useState(false);
  const [isDone, setIsDone] = useState(false);
  const create = useSecretAction(({ token, ...person }: Given, { idempotencyKey }) =>
    call(
      "POST",
      "/api/v1/automation/users",
      { body: { ...person, role: "admin" } },
      { bearerToken: token, idempotencyKey },
    ),
  );
  const signIn = useSecretAction((body: { email: string; password: string }) =>
    call("POST", "/api/v1/auth/login", { body }),
  );
  if (isDone) return <SetUpDone />;

  const field = (name: keyof Given) => ({
    value: given[name],
    disabled: isCreated,
    onChange: (event: { currentTarget: { value: string } }) =>
      setGiven({ ...given, [name]: event.currentTarget.value }),
  });
  const missing = (name: keyof Given) => (wasSent && given[name].trim() === "" ? "Required." : null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    const person = { ...given, token: given.token.trim(), name: given.name.trim(), email: given.email.trim() };
    if (Object.values(person).includes("") || !judgePassword(person.password).ok) return;
    if (!isCreated && (await create.perform(person)) === null) return;
    setIsCreated(true);
    onCreated();
    const session = await signIn.perform({ email: person.email, password: person.password });
    if (session === null) return;
    // The token and the password are no longer needed.
    setGiven(NOTHING);
    setIsDone(true);
  };
  const isTokenWrong = create.error instanceof ApiProblem && create.error.status === 401;
  return (
    <Stack gap="md">
      <Text size="sm">
        This deployment has no administrator yet. Create the first one with the bootstrap token, which you find:
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>
          on your machine, in the output of <Code>npm start</Code>
        </List.Item>
        <List.Item>
          in production, as the secret <Code>BOOTSTRAP_ADMIN_TOKEN</Code> of the deployment
        </List.Item>
      </List>
      <form onSubmit={submit} noValidate aria-label="Set up">
        <Stack gap="sm">
          <PasswordInput
            label="Bootstrap token"
            name="bootstrap-token"
            autoComplete="off"
            {...field("token")}
            error={missing("token") ?? (isTokenWrong ? "This is not the bootstrap token of this deployment." : null)}
          />
          <TextInput
            label="Your name"
            name="name"
            autoComplete="name"
            {...field("name")}
            error={missing("name") ?? fieldError(create.error, "name")}
          />
          <TextInput
            label="Your email"
            type="email"
            name="email"
            autoComplete="username"
            {...field("email")}
            error={missing("email") ?? fieldError(create.error, "email")}
          />
          <NewPassword
            label="Password"
            value={given.password}
            onChange={(password) => setGiven({ ...given, password })}
            refusal={fieldError(create.error, "password")}
            wasSent={wasSent}
            disabled={isCreated}
          />
          <SetUpFailure creating={create.error} signingIn={signIn.error} />
          <Button
            type="submit"
            loading={create.isPending || signIn.isPending}
            fullWidth
            // The label takes two lines on a phone.
            h="auto"
            mih={36}
            py={6}
            styles={{ label: { whiteSpace: "normal" } }}
          >
            {isCreated ? "Sign in" : "Create admin account"}
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}
