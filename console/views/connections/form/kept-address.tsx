import { Alert, Code, Switch } from "@mantine/core";
import { secretConfigFields } from "../../../../schema/contract/connection.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { ConnectionFormState } from "./use-connection-form.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";

const text = connectionForms.keptAddress;

/** A webhook address that is stored in the configuration. It can be removed but is never shown. */
export function KeptAddress({ connection, form }: { connection: ConnectionView; form: ConnectionFormState }) {
  const name = secretConfigFields(connection.type).find((field) => connection.config[field] !== undefined);
  const kept = name === undefined ? undefined : connection.config[name];
  if (name === undefined || typeof kept !== "string") return null;
  return (
    <Alert color="yellow" variant="light" title={text.title}>
      {text.body(<Code>{kept}</Code>)}
      <Switch
        mt="sm"
        label={text.keep}
        checked={form.values.config[name] === kept}
        onChange={(event) => form.changeConfig(name, event.currentTarget.checked ? kept : "")}
      />
    </Alert>
  );
}
