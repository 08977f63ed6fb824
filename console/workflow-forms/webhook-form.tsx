import { Code, Input, Stack, SegmentedControl, TagsInput, Text } from "@mantine/core";
import { useId } from "react";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { WebhookTrigger } from "../../schema/contract/webhook-trigger.ts";
import { webhookTrigger as text } from "../strings/en/webhook-trigger.ts";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";

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

const PAYLOADS = ["variables", "body"] as const;
const LISTS = ["headers", "query", "sensitive"] as const;
