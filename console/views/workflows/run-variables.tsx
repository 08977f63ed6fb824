import { Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { WorkflowVersionView } from "../../../schema/contract/management.ts";
import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { readVariables } from "./inputs.ts";
import { sampleVariables } from "./sample-variables.ts";

/** Variables as JSON for other triggers, with an example of the variables that the templates use. */
export function RunVariables({
  version,
  onRun,
  buttons,
}: {
  version: WorkflowVersionView;
  onRun: (variables: JsonObject) => void;
  buttons: ReactNode;
}) {
  const [example] = useState(() => JSON.stringify(sampleVariables(version.definition), null, 2));
  const [text, setText] = useState(example);
  const [problem, setProblem] = useState<string | null>(null);
  const usesNone = example === "{}";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!usesNone && text === example) {
          setProblem("These are examples, not values: put yours in, or clear the field to run it without any.");
          return;
        }
        const read = readVariables(text);
        setProblem(read.ok ? null : read.problem);
        if (read.ok) onRun(read.variables);
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{HINTS[version.trigger.type]}</Text>
        <Textarea
          label="Variables"
          description={
            usesNone
              ? "A JSON object. Its templates use none."
              : "A JSON object. These are the variables that its templates use; put your values in."
          }
          value={text}
          error={problem}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
        {buttons}
      </Stack>
    </form>
  );
}

/** The source of the trigger's templates in a manual run. */
const HINTS = {
  webhook: "Its templates of the webhook stand for these variables.",
  manual: "Its templates of inputs stand for these variables.",
  incident: "There is no incident in a run by hand: its templates stand for the variable named incident.",
  cron: "Its template of the scheduled time stands for now.",
} as const satisfies Record<TriggerType, string>;
