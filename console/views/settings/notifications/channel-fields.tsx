import { Button, Checkbox, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import { channelForm as text } from "../../../strings/en/notification-channels.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import type { ChannelDraft, Security } from "./channel-draft.ts";

interface FieldsProps {
  draft: ChannelDraft;
  change: (fields: Partial<ChannelDraft>) => void;
  /** Whether an empty secret keeps a saved one. */
  hasSecret: boolean;
  /** Whether there is a signing secret to keep beside the new one. */
  hasFormer: boolean;
  error: (path: string) => string | null;
}

const SECURITIES: readonly Security[] = ["starttls", "tls", "none"];
const KEY_BYTES = 32;

export function EmailFields(props: FieldsProps) {
  const { draft, change, error } = props;
  return (
    <>
      <Field {...props} label={text.from} name="from" error={error("from")} required />
      <NativeSelect
        label={text.through}
        data={[
          { value: "smtp", label: text.ways.smtp },
          { value: "http", label: text.ways.http },
        ]}
        value={draft.way}
        onChange={(event) => change({ way: event.currentTarget.value === "http" ? "http" : "smtp" })}
      />
      {draft.way === "http" ? (
        <>
          <Field {...props} label={text.url} name="url" error={error("http.url")} required />
          <Secret {...props} label={text.key} error={error("http.key")} />
        </>
      ) : (
        <>
          <Field {...props} label={text.host} name="host" error={error("smtp.host")} required />
          <NumberField
            label={text.port}
            required
            min={1}
            max={65_535}
            value={draft.port}
            onChange={(value) => change({ port: value })}
            error={error("smtp.port")}
          />
          <NativeSelect
            label={text.security}
            data={SECURITIES.map((value) => ({ value, label: text.securities[value] }))}
            value={draft.security}
            onChange={(event) =>
              change({ security: SECURITIES.find((one) => one === event.currentTarget.value) ?? "starttls" })
            }
            error={error("smtp.security")}
          />
          <Field {...props} label={text.user} name="user" description={text.userHint} error={error("smtp.user")} />
          <Secret {...props} label={text.password} error={error("smtp.password")} />
        </>
      )}
    </>
  );
}

export function SmsFields(props: FieldsProps) {
  const { error } = props;
  return (
    <>
      <Field
        {...props}
        label={text.smsFrom}
        name="from"
        description={text.smsFromHint}
        error={error("from")}
        required
      />
      <Field {...props} label={text.accountSid} name="accountSid" error={error("accountSid")} required />
      <Secret {...props} label={text.authToken} error={error("authToken")} />
      <Field {...props} label={text.apiUrl} name="url" description={text.apiUrlHint} error={error("apiUrl")} />
    </>
  );
}

/** The signing secret is readable while it is typed: a person gives it to the receivers. */
export function WebhookFields({ draft, change, hasFormer, error }: FieldsProps) {
  const generate = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    change({ secret: `whsec_${btoa(String.fromCharCode(...bytes))}` });
  };
  return (
    <>
      <TextInput
        label={text.secret}
        description={text.secretHint}
        required
        autoComplete="off"
        value={draft.secret}
        onChange={(event) => change({ secret: event.currentTarget.value })}
        error={error("secret")}
        data-autofocus
      />
      <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} onClick={generate}>
        {text.generate}
      </Button>
      {hasFormer ? (
        <Checkbox
          label={text.keepFormer}
          checked={draft.keepFormer}
          onChange={(event) => change({ keepFormer: event.currentTarget.checked })}
          error={error("keepFormer")}
        />
      ) : null}
    </>
  );
}

interface FieldProps extends Pick<FieldsProps, "draft" | "change"> {
  label: string;
  name: "from" | "host" | "user" | "url" | "accountSid";
  description?: string;
  required?: boolean;
  error: string | null;
}

function Field({ draft, change, label, name, description, required = false, error }: FieldProps) {
  return (
    <TextInput
      label={label}
      description={description}
      required={required}
      autoComplete="off"
      value={draft[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      error={error}
    />
  );
}

function Secret(props: Pick<FieldsProps, "draft" | "change" | "hasSecret"> & { label: string; error: string | null }) {
  const { draft, change, hasSecret, label, error } = props;
  return (
    <PasswordInput
      label={label}
      description={hasSecret ? text.kept : undefined}
      autoComplete="new-password"
      value={draft.secret}
      onChange={(event) => change({ secret: event.currentTarget.value })}
      error={error}
    />
  );
}
