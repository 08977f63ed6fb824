import { Alert, Button, Code, List, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertCircle, IconCircleCheck, IconShieldLock } from "@tabler/icons-react";
import { useState } from "react";
import type { FormEvent } from "react";
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useSecretAction } from "../../api/use-secret-action.ts";
import { useSignedIn } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { signIn as texts } from "../../strings/en/sign-in.ts";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { NewPassword } from "../../ui/new-password.tsx";
import { ProblemText } from "../../ui/states.tsx";
import { creationMessage, signInMessage } from "./sign-in-messages.ts";

const text = texts.setUp;
const TOKEN_SECRET = "BOOTSTRAP_ADMIN_TOKEN";
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
  const errors = useFieldErrors(create.error, given);
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
  const missing = (name: keyof Given) => (wasSent && given[name].trim() === "" ? common.required : null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    const person = { ...given, token: given.token.trim(), name: given.name.trim(), email: given.email.trim() };
    if (person.token === "") return;
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
      <Text size="sm">{text.intro}</Text>
      <List size="sm" spacing={4}>
        <List.Item>{text.onYourMachine(<Code>npm start</Code>)}</List.Item>
        <List.Item>{text.inProduction(<Code>{TOKEN_SECRET}</Code>)}</List.Item>
      </List>
      <form onSubmit={submit} noValidate aria-label={text.form}>
        <Stack gap="sm">
          <PasswordInput
            label={text.token}
            name="bootstrap-token"
            autoComplete="off"
            {...field("token")}
            error={missing("token") ?? (isTokenWrong ? text.wrongToken : null)}
          />
          <TextInput
            label={text.name}
            name="name"
            autoComplete="name"
            {...field("name")}
            error={missing("name") ?? errors.of("name")}
          />
          <TextInput
            label={text.email}
            type="email"
            name="email"
            autoComplete="username"
            {...field("email")}
            error={missing("email") ?? errors.of("email")}
          />
          <NewPassword
            label={common.password}
            value={given.password}
            onChange={(password) => setGiven({ ...given, password })}
            refusal={errors.of("password")}
            wasSent={wasSent}
            disabled={isCreated}
          />
          <SetUpFailure creating={errors.rest} signingIn={signIn.error} />
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
            {isCreated ? texts.signIn : text.submit}
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}

/** The error of the step that failed. */
function SetUpFailure({ creating, signingIn }: { creating: unknown; signingIn: unknown }) {
  if (signingIn !== null) {
    return <Failure title={text.failure.notSignedIn}>{signInMessage(signingIn)}</Failure>;
  }
  if (creating === null) return null;
  return <Failure title={text.failure.notCreated}>{creationMessage(creating)}</Failure>;
}

function Failure({ title, children }: { title: string; children: string }) {
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={title} role="alert">
      {children}
    </Alert>
  );
}

/** The last step of the set-up: advises to remove the bootstrap token, which permits everything. */
function SetUpDone() {
  const signedIn = useSignedIn();
  const [, navigate] = useLocation();
  const open = useSecretAction(async () => {
    await signedIn();
    navigate("/");
  });
  return (
    <Stack gap="md">
      <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title={text.done.title} role="status">
        {text.done.next}
      </Alert>
      <Alert color="yellow" icon={<IconShieldLock aria-hidden />} title={text.done.removeToken}>
        <Text size="sm">{text.done.whyRemove(<Code>{TOKEN_SECRET}</Code>)}</Text>
      </Alert>
      {open.error === null ? null : <ProblemText error={open.error} />}
      <Button loading={open.isPending} onClick={() => void open.perform(undefined)} fullWidth>
        {text.done.submit}
      </Button>
    </Stack>
  );
}
