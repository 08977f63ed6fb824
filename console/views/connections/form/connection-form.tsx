import { labelsOf } from "./field-labels.ts";
import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { Fragment, useRef } from "react";
import type { ReactNode, SubmitEvent } from "react";
import { Link } from "wouter";
import { ProblemText } from "../../../ui/states.tsx";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { descriptorOf } from "../../../../schema/contract/connection.ts";
import { Assignment } from "./assignment.tsx";
import { asSentence, rowErrors } from "./check-form.ts";
import { ConfigFieldInput } from "./config-field.tsx";
import { applies } from "./applies.ts";
import { configFields, fieldOfSeveral, isRequired } from "./config-fields.ts";
import { CustomFields } from "./custom-fields.tsx";
import type { ConfigValue } from "./form-values.ts";
import { OneOrSeveral } from "./one-or-several.tsx";
import type { ConnectionFormState } from "./use-connection-form.ts";
import { common } from "../../../strings/en/common.ts";
import { connectionForms as text } from "../../../strings/en/connection-forms.ts";

interface Props {
  type: ConnectionType;
  form: ConnectionFormState;
  submitLabel: string;
  busy: boolean;
  /** The error of the last attempt. */
  problem: unknown;
  onSubmit: () => void;
  cancelHref: string;
  /** Notices below the fields of the configuration. */
  children?: ReactNode;
}

/** The form to create or edit a connection of one type. Its fields come from the contract. */
export function ConnectionForm({ type, form, submitLabel, busy, problem, onSubmit, cancelHref, children }: Props) {
  const element = useRef<HTMLFormElement>(null);
  const keptHosts = useRef<ConfigValue>("");
  const labelled = (path: string, label: string) => {
    const message = form.errorOf(path);
    return message === null ? null : asSentence(label, message);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    form.attempt();
    if (form.isRight) return onSubmit();
    // Focus the first invalid field, after it is marked as invalid.
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const { config } = form.values;
  const fields = configFields(type).filter(({ name }) => applies(type, name, config));
  return (
    <form
      ref={element}
      noValidate
      onSubmit={submit}
      onPointerDownCapture={form.press}
      aria-label={text.label(descriptorOf(type).label)}
    >
      <Stack gap="lg" maw={720}>
        <Text size="sm">{text.requirements(descriptorOf(type).needs, <b>{text.requirementsName}</b>)}</Text>
        <TextInput
          label={common.name}
          description={text.nameHelp}
          withAsterisk
          aria-required
          value={form.values.name}
          error={labelled("name", common.name)}
          onChange={(event) => form.change({ name: event.currentTarget.value })}
          onBlur={() => form.leave("name")}
          autoComplete="off"
        />
        {fields.length === 0 ? null : (
          <Section title={text.configuration}>
            {fields.map((field) => {
              const { name, kind } = field;
              const path = `config.${name}`;
              const { label, help } = labelsOf(type, name);
              const value = config[name];
              if (kind === "sealed") {
                return (
                  <Text key={name} size="sm">
                    {text.sealed(<b>{text.sealedLabel(label)}</b>, help ?? "")}
                  </Text>
                );
              }
              if (kind === "names" && typeof value === "object") {
                return (
                  <CustomFields
                    key={name}
                    label={label}
                    help={help}
                    rows={value}
                    errors={form.isShown(path) ? rowErrors(value, form.errorsBelow(path)) : rowErrors([], [])}
                    onChange={(rows) => form.changeConfig(name, rows)}
                    onLeave={() => form.leave(path)}
                  />
                );
              }
              const several = fieldOfSeveral(type, name);
              return (
                <Fragment key={name}>
                  {several === null ? null : (
                    <OneOrSeveral
                      config={config}
                      kept={keptHosts}
                      onChange={(hosts) => form.changeConfig(several, hosts)}
                    />
                  )}
                  <ConfigFieldInput
                    type={type}
                    field={field}
                    config={config}
                    required={isRequired(type, field)}
                    error={labelled(path, label) ?? (kind === "lines" ? lineError(form, path, value) : null)}
                    onChange={(changed) => form.changeConfig(name, changed)}
                    onLeave={() => form.leave(path)}
                  />
                </Fragment>
              );
            })}
            {children}
          </Section>
        )}
        {type === "notification" ? null : (
          <Section title={text.where.title}>
            <Assignment
              type={type}
              values={form.values}
              errorOf={(path) => labelled(path, path === "agentId" ? text.subjects.agent : text.subjects.pool)}
              onChange={form.change}
              onLeave={form.leave}
            />
          </Section>
        )}
        {problem === null || problem === undefined ? null : (
          <Alert color="red" role="alert" title={text.failed}>
            <ProblemText error={problem} />
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={busy}>
            {submitLabel}
          </Button>
          <Button variant="default" component={Link} href={cancelHref}>
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The problems of a list's entries, by the numbers of their lines. */
function lineError(form: ConnectionFormState, path: string, value: ConfigValue | undefined): string | null {
  const errors = form.errorsBelow(path).filter((one) => one.path.startsWith(`${path}.`));
  if (errors.length === 0 || typeof value !== "string") return null;
  const lines = value.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [index + 1]));
  const sentences = errors.map((error) => {
    const entry = Number(error.path.slice(path.length + 1).split(".")[0]);
    return asSentence(text.subjects.line(lines[entry] ?? entry + 1), error.message);
  });
  return sentences.join(" ");
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="md">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}
