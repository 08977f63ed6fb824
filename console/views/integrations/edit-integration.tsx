import { NativeSelect, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { severitySchema } from "../../../schema/contract/incident.ts";
import type { Severity } from "../../../schema/contract/incident.ts";
import { OTHER_WORDS } from "../../../schema/contract/integration.ts";
import type { IntegrationView } from "../../../schema/contract/integration.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { common } from "../../strings/en/common.ts";
import { integrations } from "../../strings/en/integrations.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { toastSuccess } from "../../ui/toast.tsx";

const text = integrations.edit;
const SEVERITIES = severitySchema.options;
const DEFAULT = "medium";

const pathOf = (word: string) => `severities.${word}`;

/** Changes the name of an integration, and the severities of its source's words. */
export function EditIntegration({ integration, onClose }: { integration: IntegrationView; onClose: () => void }) {
  const { id } = integration;
  const { [OTHER_WORDS]: others = DEFAULT, ...words } = integration.severities;
  const [name, setName] = useState(integration.name);
  const [chosen, setChosen] = useState<Readonly<Record<string, Severity>>>(words);
  const [other, setOther] = useState<Severity>(others);
  const change = useAction(
    (body: Pick<IntegrationView, "name" | "severities">) =>
      call("PATCH", "/api/v1/automation/integrations/{id}", { path: { id }, body }),
    {
      refreshes: ["/api/v1/automation/integrations"],
      onDone: (changed) => {
        toastSuccess(text.done(changed.name));
        onClose();
      },
    },
  );
  const errors = useFieldErrors(change.error, {
    name,
    ...Object.fromEntries(Object.entries(chosen).map(([word, severity]) => [pathOf(word), severity])),
  });
  const submit = () => {
    const severities = { ...chosen, ...(other === DEFAULT ? {} : { [OTHER_WORDS]: other }) };
    change.mutate({ name: name.trim(), severities });
  };
  const wordsOf = (severity: Severity) => Object.keys(chosen).filter((word) => chosen[word] === severity);
  const problemsOf = (words: readonly string[]) =>
    words.flatMap((word) => {
      const problem = errors.of(pathOf(word));
      return problem === null ? [] : [text.wrongWord(word, problem)];
    });
  return (
    <DialogForm
      title={text.title(integration.name)}
      submitLabel={common.save}
      close={onClose}
      submit={submit}
      isPending={change.isPending}
      error={errors.rest}
    >
      <TextInput
        label={common.name}
        description={text.nameHelp}
        value={name}
        error={errors.of("name")}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {SEVERITIES.map((severity) => (
        <TagsInput
          key={severity}
          label={text.words(severity)}
          value={wordsOf(severity)}
          error={problemsOf(wordsOf(severity)).join(" ")}
          onChange={(next) => {
            const rest = Object.entries(chosen).filter(([word, of]) => of !== severity && !next.includes(word));
            setChosen(Object.fromEntries([...rest, ...next.map((word) => [word, severity] as const)]));
          }}
        />
      ))}
      <NativeSelect
        label={text.other}
        description={text.otherHelp}
        data={SEVERITIES}
        value={other}
        onChange={(event) => setOther(SEVERITIES.find((one) => one === event.currentTarget.value) ?? DEFAULT)}
      />
    </DialogForm>
  );
}
