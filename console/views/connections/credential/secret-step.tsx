import { Alert, Text } from "@mantine/core";
import { useState } from "react";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { Secrets } from "../../../../schema/contract/credential.ts";
import { TOO_SHORT_TO_MASK, tooShortToMask } from "../../../../schema/contract/masking.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { asSentence } from "../form/check-form.ts";
import { NO_SECRETS, secretsOf } from "./custom-secrets.tsx";
import { checkSecrets, givenSecrets, labelOfSecret } from "./secret-fields.ts";
import type { SecretForm } from "./secret-fields.ts";
import { SecretInputs } from "./secret-inputs.tsx";

const text = credentials.secret;

/** The typed secret, while its dialog is open. */
export function useSecret(type: ConnectionType, forms: readonly SecretForm[]) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [rows, setRows] = useState(NO_SECRETS);
  const [chosen, setChosen] = useState(0);
  const [attempted, setAttempted] = useState(false);
  const form = forms[chosen];
  const named = form?.isFree === true ? secretsOf(rows) : givenSecrets(typed);
  const secrets = named ?? {};
  const problems = form === undefined || named === null ? [] : checkSecrets(type, form, named);
  return {
    typed,
    rows,
    chosen,
    secrets,
    setRows,
    errorOf: (name: string) => (attempted ? (problems.find(({ path }) => path === name)?.message ?? null) : null),
    type: (name: string, value: string) => setTyped((before) => ({ ...before, [name]: value })),
    choose(index: number) {
      setChosen(index);
      setTyped({});
      setAttempted(false);
    },
    /** The secrets to deliver; null when they have a problem, which is then shown. */
    attempt(): Secrets | null {
      setAttempted(true);
      return problems.length > 0 ? null : named;
    },
  };
}

interface Props {
  type: ConnectionType;
  forms: readonly SecretForm[];
  secret: ReturnType<typeof useSecret>;
  /** The names of the chosen agents. */
  agents: readonly string[];
  disabled: boolean;
}

/** The fields for the secret, with what is wrong with it. */
export function SecretStep({ type, forms, secret, agents, disabled }: Props) {
  const problem = secret.errorOf("");
  return (
    <>
      <Text size="sm" c="dimmed">
        {text.for(agents)}
      </Text>
      <SecretInputs
        key={secret.chosen}
        type={type}
        forms={forms}
        chosen={secret.chosen}
        typed={secret.typed}
        errorOf={secret.errorOf}
        disabled={disabled}
        onChoose={secret.choose}
        onType={secret.type}
        rows={secret.rows}
        onRows={secret.setRows}
      />
      <ShortSecrets type={type} names={tooShortToMask(secret.secrets)} />
      {problem === null ? null : (
        <Text size="sm" c="red" role="alert">
          {text.invalid(problem)}
        </Text>
      )}
    </>
  );
}

/** Only a warning, because some systems have short passwords. */
function ShortSecrets({ type, names }: { type: ConnectionType; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" role="status">
      {names.map((name) => (
        <Text key={name} size="sm">
          {asSentence(name === "" ? text.it : labelOfSecret(type, name), TOO_SHORT_TO_MASK)}
        </Text>
      ))}
    </Alert>
  );
}
