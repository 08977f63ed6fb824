import { Code, Input, NativeSelect, Stack, SegmentedControl, TagsInput, Text } from "@mantine/core";
import { useId, useState } from "react";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { WebhookTrigger } from "../../schema/contract/webhook-trigger.ts";
import { webhookPresets as presets } from "../strings/en/webhook-presets.ts";
import { webhookTrigger as text } from "../strings/en/webhook-trigger.ts";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";
import { useTrial } from "./use-sample.ts";
import { PRESETS, presetOf } from "./webhook-presets.ts";
import type { WebhookPreset } from "./webhook-presets.ts";

interface WebhookFormProps {
  trigger: WebhookTrigger;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (trigger: WebhookTrigger) => void;
}

/** The form of a webhook trigger: what templates read of a request. */
export function WebhookForm({ trigger, problems, readOnly, onChange }: WebhookFormProps) {
  const payload = trigger.payload ?? "variables";
  const id = useId();
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {text.about}
      </Text>
      {readOnly ? null : <PresetSelect onChange={onChange} />}
      <Input.Wrapper label={text.payload} labelProps={{ id }} error={problemText(problems, "payload")}>
        <SegmentedControl
          data-part="payload"
          aria-labelledby={id}
          fullWidth
          mt={4}
          data={PAYLOADS.map((value) => ({ value, label: text.payloads[value] }))}
          value={payload}
          readOnly={readOnly}
          onChange={(next) => {
            // The names belong to the whole request.
            onChange(next === "body" ? { type: "webhook", payload: "body" } : { type: "webhook" });
          }}
        />
      </Input.Wrapper>
      <Text size="sm" c="dimmed">
        {payload === "body"
          ? text.payloadHints.body(<Code>{text.templates.body}</Code>)
          : text.payloadHints.variables(
              <Code>{text.templates.variablesField}</Code>,
              <Code>{text.templates.variables}</Code>,
            )}
      </Text>
      {payload === "body"
        ? LISTS.map((list) => (
            <TagsInput
              key={list}
              data-part={list}
              label={text[list]}
              description={text.hints[list]}
              value={trigger[list] ?? []}
              readOnly={readOnly}
              error={problemText(problems, list)}
              onChange={(next) => onChange(put(trigger, { [list]: next.length === 0 ? undefined : next }))}
            />
          ))
        : null}
    </Stack>
  );
}

/** Sets the trigger up for a known sender, whose sample request then is the data to try the workflow with. */
function PresetSelect({ onChange }: Pick<WebhookFormProps, "onChange">) {
  const [chosen, setChosen] = useState<WebhookPreset | null>(null);
  const [, changeTrial] = useTrial();
  return (
    <NativeSelect
      label={presets.label}
      description={chosen === null ? presets.hint : `${presets.verify[chosen]} ${presets.onlyNew[chosen]}`}
      data={[{ value: "", label: presets.none }, ...PRESETS.map((value) => ({ value, label: presets.names[value] }))]}
      value={chosen ?? ""}
      onChange={(event) => {
        const preset = PRESETS.find((one) => one === event.currentTarget.value) ?? null;
        setChosen(preset);
        if (preset === null) return;
        const { trigger, variables } = presetOf(preset);
        onChange(trigger);
        changeTrial({ sample: { variables }, preset: variables });
      }}
    />
  );
}

const PAYLOADS = ["variables", "body"] as const;
const LISTS = ["headers", "query", "sensitive"] as const;
